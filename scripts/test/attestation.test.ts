import { describe, expect, test } from 'vitest';
import { createAttestation } from '../../examples/reference-server/acceptance/asvs/attestation.js';
import type { AsvsClaim } from '../../examples/reference-server/acceptance/asvs/claim.js';
import { asvsClaims } from '../../examples/reference-server/acceptance/asvs/claims.js';
import { verdictOf } from '../../examples/reference-server/acceptance/asvs/verdicts.js';
import { readRelease } from '../../examples/reference-server/acceptance/release.js';
import type { CheckReport, RunReport } from '../../examples/reference-server/acceptance/run-checks.js';
import { schemaFaults } from '../publishing/bills-of-materials.mjs';

const AT = '2026-01-02T03:04:05.678Z';
const SECRET = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJyb290In0.c2lnbmF0dXJl';
const SOMEBODYS = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJvdGhlciJ9.c2lnbmVkLWFsc28';

function checkOf(id: string, more: Partial<CheckReport> = {}): CheckReport {
  return {
    id,
    title: `about ${id}`,
    outcome: 'passed',
    did: [],
    holes: [],
    holeParts: [],
    skipped: [],
    reason: null,
    at: AT,
    ...more,
  };
}

const holeIn = (id: string, ...holeParts: (string | null)[]) =>
  checkOf(id, { outcome: 'hole', holes: holeParts.map((part) => `a hole in ${part}`), holeParts });

function reportOf(...checks: readonly CheckReport[]): RunReport {
  return { url: 'https://service.example/', username: 'root', checks, leftBehind: [], interrupted: false };
}

function attest(report: RunReport, claims: readonly AsvsClaim[] = asvsClaims) {
  const [secrets, now] = [[SECRET], new Date(AT)];
  return createAttestation({ report, claims, release: readRelease(), secrets, now }) as unknown as Attestation;
}

interface Attestation {
  readonly declarations: {
    readonly attestations: readonly [{ readonly summary: string; readonly map: readonly Mapped[] }];
    readonly claims: readonly Readonly<Record<'bom-ref' | 'predicate', string>>[];
    readonly evidence: readonly Readonly<Record<'bom-ref', string>>[];
  };
}

interface Mapped {
  readonly requirement: string;
  readonly claims?: readonly string[];
  readonly counterClaims?: readonly string[];
  readonly conformance: { readonly score?: number; readonly rationale: string };
}

function mapOf({ declarations }: Attestation, id: string): Mapped {
  return declarations.attestations[0].map.find(({ requirement }) => requirement.endsWith(`:${id}`)) as Mapped;
}

const claim = (more: object): AsvsClaim =>
  ({
    ...{
      id: 'V5.1.1',
      level: 1,
      subject: 'A subject',
      status: 'tested',
      tests: ['a/b.test.ts: X'],
      seenBy: ['one.all'],
    },
    ...more,
  }) as AsvsClaim;

describe('the attestation', () => {
  test.each([
    ['nothing ran', reportOf()],
    ['everything passed', reportOf(checkOf('tokens.ends'), checkOf('headers.security'))],
    ['there is a hole', reportOf(holeIn('tokens.ends', 'sign-out'), checkOf('uploads.size', { outcome: 'not-run' }))],
  ])('DOC-4 fits the schema of CycloneDX where %s', async (_what, report) => {
    expect(await schemaFaults(JSON.stringify(attest(report)))).toEqual([]);
  });

  test('DOC-4 every reference arrives, and none is used twice', () => {
    const { declarations, ...rest } = attest(reportOf(checkOf('tokens.ends'), holeIn('uploads.size', null)));
    const text = JSON.stringify({ declarations, ...rest });
    const defined = [...text.matchAll(/"bom-ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect(new Set(defined).size).toBe(defined.length);
    const used = [
      ...declarations.attestations[0].map.flatMap(({ requirement, claims = [], counterClaims = [] }) => {
        return [requirement, ...claims, ...counterClaims];
      }),
      ...declarations.claims.flatMap(({ evidence, counterEvidence, target }: Readonly<Record<string, unknown>>) => {
        return [target, evidence ?? [], counterEvidence ?? []].flat();
      }),
    ];
    expect(used.filter((ref) => !defined.includes(ref as string))).toEqual([]);
  });

  test('DOC-4 says that it is evidence and no certification, and gives no item full marks', () => {
    const { attestations } = attest(reportOf(checkOf('tokens.ends'))).declarations;
    expect(attestations[0].summary).toMatch(/^Evidence, never a certification\./);
    expect(attestations[0].map.filter(({ conformance }) => conformance.score !== undefined)).toEqual([]);
  });

  test('DOC-4 what no check saw is not claimed of the deployment, only what the release tests', () => {
    const seen = attest(reportOf(checkOf('tokens.ends'), checkOf('uploads.size', { outcome: 'not-run' })));
    expect(mapOf(seen, 'V7.4.1').claims).toEqual(['claim:release:V7.4.1', 'claim:deployment:V7.4.1']);
    expect(mapOf(seen, 'V5.2.1').claims).toEqual(['claim:release:V5.2.1']);
    expect(mapOf(seen, 'V5.2.1').conformance.rationale).toContain('No check saw it.');
    expect(mapOf(seen, 'V7.3.1').conformance.rationale).toContain('The acceptance command cannot see it.');
    expect(JSON.stringify(seen)).toContain('outcome: not run');
    const deviation = mapOf(seen, 'V7.2.4');
    expect([deviation.claims, deviation.counterClaims]).toEqual([undefined, ['claim:release:V7.2.4']]);
  });

  test('DOC-4 a hole makes a counter-claim with the evidence against it, when and where', () => {
    const broken = attest(reportOf(holeIn('tokens.ends', 'sign-out')));
    expect(mapOf(broken, 'V7.4.1')).toMatchObject({
      ...{ claims: ['claim:release:V7.4.1'], counterClaims: ['claim:deployment:V7.4.1'], conformance: { score: 0 } },
    });
    expect(broken.declarations.claims.find((each) => each['bom-ref'] === 'claim:deployment:V7.4.1')).toMatchObject({
      ...{ target: 'target:deployment', counterEvidence: ['evidence:check:tokens.ends'] },
    });
    const evidence = broken.declarations.evidence.find((each) => each['bom-ref'] === 'evidence:check:tokens.ends');
    expect(evidence).toMatchObject({ created: AT });
    expect(JSON.stringify(evidence)).toMatch(/outcome: failed.*at: 2026.*against: https:\/\/service\.example\//);
    expect(mapOf(broken, 'V7.4.2').claims).toContain('claim:deployment:V7.4.2');
  });

  test('DOC-4 no token and no control character is in it, wherever a deployment put them', () => {
    const did = [`sent ${SECRET}`, `got ${SOMEBODYS}`, 'cleared \u001b[2J'];
    const text = JSON.stringify(attest(reportOf(checkOf('tokens.ends', { did, reason: SECRET }))));
    expect(text).toContain('sent [token]');
    expect(text).toContain('got [token]');
    for (const secret of [SECRET, SOMEBODYS, 'c2lnbmF0dXJl', '\\u001b[2J']) {
      expect(text.replaceAll('\\\\u', '')).not.toContain(secret);
    }
  });
});

describe('the verdict about a claim', () => {
  const verdict = (seenBy: readonly string[], ...checks: readonly CheckReport[]) =>
    verdictOf(claim({ seenBy }), { checks });

  test('DOC-4 is seen if all of its checks passed, partly if some did not run, and not at all if none ran', () => {
    const [one, two] = [checkOf('one.all'), checkOf('two.all', { outcome: 'not-applicable' })];
    expect(verdict(['one.all'], one)).toBe('seen');
    expect(verdict(['one.all', 'two.all'], one, two)).toBe('partly seen');
    expect(verdict(['one.all', 'two.all'], one)).toBe('partly seen');
    expect(verdict(['two.all'], one, two)).toBe('not seen');
    expect(verdict([], one)).toBe('not seen');
  });

  test('DOC-4 is broken by one hole, in its part or in all of the check, and by no hole in another part', () => {
    expect(verdict(['one.all'], holeIn('one.all', 'left'))).toBe('broken');
    expect(verdict(['one.all#left'], holeIn('one.all', 'left'))).toBe('broken');
    expect(verdict(['one.all#left'], holeIn('one.all', null))).toBe('broken');
    expect(verdict(['one.all#right'], holeIn('one.all', 'left'))).toBe('seen');
    expect(verdict(['one.all#right', 'two.all'], checkOf('one.all'), holeIn('two.all', null))).toBe('broken');
  });

  test('DOC-4 counts no part as seen that was left out, and no check whose part it is', () => {
    const passed = checkOf('one.all', { skipped: ['left'] });
    expect(verdict(['one.all#left'], passed)).toBe('not seen');
    expect(verdict(['one.all'], passed)).toBe('not seen');
    expect(verdict(['one.all#right'], passed)).toBe('seen');
    expect(verdict(['one.all#left'], { ...holeIn('one.all', 'right'), skipped: ['left'] })).toBe('not seen');
  });

  test('DOC-4 counts no part as seen of a check that broke off after a hole', () => {
    expect(verdict(['one.all#right'], { ...holeIn('one.all', 'left'), reason: 'the answer got lost' })).toBe(
      'not seen',
    );
  });
});
