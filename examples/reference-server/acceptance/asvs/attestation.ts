import { randomUUID } from 'node:crypto';
import type { Release } from '../release.js';
import { printable } from '../report-text.js';
import type { CheckReport, RunReport } from '../run-checks.js';
import { type AsvsClaim, sightingsOf, testsOf } from './claim.js';
import { asvsStandard, requirementRef } from './standard.js';
import { sightOf, type Verdict, verdictOf } from './verdicts.js';

const NOTICE =
  'Evidence, never a certification. It says which tests this release brings, and what the acceptance command saw on ' +
  'one deployment at one time. Nobody has assessed the deployment against the standard, and an item that a check saw ' +
  'may still be broken in a way that the check does not try.';

export interface AttestationOptions {
  readonly report: RunReport;
  readonly claims: readonly AsvsClaim[];
  readonly release: Release;
  /** Texts that it must not contain, such as the token of the run. */
  readonly secrets: readonly string[];
  readonly now: Date;
}

/** A JSON Web Token of anybody. */
const TOKEN = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;

const MASK = '[token]';

/** What a run saw, with what the release says of itself, as a declaration of CycloneDX 1.7 (DOC-4). */
export function createAttestation({ report, claims, release, secrets, now }: AttestationOptions): object {
  const clean = (text: string) => {
    return printable(secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text).replaceAll(TOKEN, MASK));
  };
  const targets = {
    components: [{ type: 'application', 'bom-ref': 'target:release', ...release }],
    services: [{ 'bom-ref': 'target:deployment', name: release.name, endpoints: [clean(report.url)] }],
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: now.toISOString(),
      component: { type: 'application', 'bom-ref': 'release', ...release },
      properties: [{ name: 'sallyport:notice', value: NOTICE }],
    },
    declarations: {
      assessors: [
        { 'bom-ref': 'assessor', thirdParty: false, organization: { name: 'the operator, by the acceptance command' } },
      ],
      attestations: [{ summary: NOTICE, assessor: 'assessor', map: claims.map((claim) => mapOf(claim, report)) }],
      claims: claims.flatMap((claim) => [...claimsOfRelease(claim), ...claimsOfDeployment(claim, report)]),
      evidence: [
        ...claims.filter((claim) => testsOf(claim).length > 0).map(evidenceOfTests),
        ...report.checks.map((check) => evidenceOfCheck(check, clean(report.url), clean)),
      ],
      targets,
    },
    definitions: { standards: [asvsStandard(claims)] },
  };
}

const releaseRef = ({ id }: AsvsClaim) => `claim:release:${id}`;
const deploymentRef = ({ id }: AsvsClaim) => `claim:deployment:${id}`;
const testsRef = ({ id }: AsvsClaim) => `evidence:tests:${id}`;
const checkRef = (id: string) => `evidence:check:${id}`;

/** What the release says of itself: that tests prove it, or that it deviates. */
function claimsOfRelease(claim: AsvsClaim): object[] {
  const tests = testsOf(claim).length > 0 ? { evidence: [testsRef(claim)] } : {};
  const common = { 'bom-ref': releaseRef(claim), target: 'target:release', ...tests };
  const { subject } = claim;
  if (claim.status === 'tested') {
    const note = claim.note === undefined ? '' : ` ${claim.note}`;
    return [{ ...common, predicate: subject, reasoning: `Tests of the release prove it.${note}` }];
  }
  if (claim.status === 'deviation') {
    return [{ ...common, predicate: `Deviates: ${subject}`, reasoning: `${claim.why} Instead: ${claim.instead}` }];
  }
  return [];
}

/** What the run saw. Nothing that it can't see, or did not see, is claimed. */
function claimsOfDeployment(claim: AsvsClaim, report: RunReport): object[] {
  const verdict = verdictOf(claim, report);
  if (verdict === 'not seen') return [];
  const sights = sightingsOf(claim).map((sighting) => sightOf(sighting, report));
  const refs = (wanted: string) => [
    ...new Set(sights.filter(({ outcome }) => outcome === wanted).map(({ sighting }) => checkRef(idOf(sighting)))),
  ];
  const predicate = claim.status === 'deviation' ? claim.instead : claim.subject;
  const [evidence, counterEvidence] = [refs('passed'), refs('hole')];
  return [
    {
      'bom-ref': deploymentRef(claim),
      target: 'target:deployment',
      predicate: verdict === 'broken' ? `Broken: ${predicate}` : predicate,
      reasoning: `${SENTENCES[verdict]} ${sights.map(({ sighting, outcome }) => `${sighting}: ${outcome}`).join('; ')}`,
      ...(evidence.length > 0 && { evidence }),
      ...(counterEvidence.length > 0 && { counterEvidence }),
    },
  ];
}

const SENTENCES: Readonly<Record<Verdict, string>> = {
  seen: 'Every check that can see it passed.',
  'partly seen': 'Some checks that can see it passed, and the others gave no answer.',
  broken: 'A check found a hole.',
  'not seen': 'No check saw it.',
};

const idOf = (sighting: string) => sighting.split('#')[0] as string;

function mapOf(claim: AsvsClaim, report: RunReport): object {
  const verdict = verdictOf(claim, report);
  const [held, against]: [string[], string[]] = [[], []];
  if (claim.status === 'tested') held.push(releaseRef(claim));
  if (claim.status === 'deviation') against.push(releaseRef(claim));
  if (verdict !== 'not seen') (verdict === 'broken' ? against : held).push(deploymentRef(claim));
  return {
    requirement: requirementRef(claim.id),
    ...(held.length > 0 && { claims: held }),
    ...(against.length > 0 && { counterClaims: against }),
    // A score of 1 would be a judgement of the whole item, which no check of a part of it can give.
    conformance: {
      ...(verdict === 'broken' && { score: 0 }),
      rationale: `${rationaleOf(claim)} ${seenText(claim, verdict)}`,
    },
  };
}

function rationaleOf(claim: AsvsClaim): string {
  if (claim.status === 'tested') return 'Tested in the release.';
  if (claim.status === 'deployer') return `The deployer's duty: ${claim.duty}`;
  if (claim.status === 'deviation') return `A documented deviation: ${claim.why} Instead: ${claim.instead}`;
  return `Not applicable: ${claim.why}`;
}

function seenText(claim: AsvsClaim, verdict: Verdict): string {
  if (sightingsOf(claim).length === 0) return 'The acceptance command cannot see it.';
  return SENTENCES[verdict];
}

function evidenceOfTests(claim: AsvsClaim): object {
  return {
    'bom-ref': testsRef(claim),
    description: 'Tests of the release. They ran when it was made, not on this deployment.',
    data: [
      { name: 'tests', contents: { attachment: { content: testsOf(claim).join('\n'), contentType: 'text/plain' } } },
    ],
  };
}

const OUTCOMES = {
  passed: 'passed',
  hole: 'failed',
  'not-run': 'not run',
  'not-applicable': 'does not apply',
} as const;

function evidenceOfCheck(check: CheckReport, url: string, clean: (text: string) => string): object {
  const lines = [
    `outcome: ${OUTCOMES[check.outcome]}`,
    `at: ${check.at}`,
    `against: ${url}`,
    ...check.holes.map((hole) => `hole: ${hole}`),
    ...check.did.map((what) => `did: ${what}`),
    ...check.skipped.map((part) => `left out: ${part}`),
    ...(check.reason === null ? [] : [`because: ${check.reason}`]),
  ];
  return {
    'bom-ref': checkRef(check.id),
    description: `The check ${check.id} of the acceptance command: ${check.title}`,
    data: [
      { name: 'report', contents: { attachment: { content: lines.map(clean).join('\n'), contentType: 'text/plain' } } },
    ],
    created: check.at,
  };
}
