import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type AsvsClaim, sightingsOf, testsOf } from '../../examples/reference-server/acceptance/asvs/claim.js';
import { asvsClaims } from '../../examples/reference-server/acceptance/asvs/claims.js';
import { acceptanceChecks } from '../../examples/reference-server/acceptance/checks.js';
import { settings } from '../../examples/reference-server/src/config/settings.js';
import { passwordRuleParameters } from '../../packages/login-policy/src/password-rules.js';
import { uploadPolicyParameters } from '../../packages/upload-policy/src/index.js';
import { asvsPage, splitTest } from '../asvs/asvs-page.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');

/** Ids and levels of the standard: all of levels 1 and 2 in the complete chapters, and the single ones. */
const itemsOf: Readonly<Record<string, readonly string[]>> = JSON.parse(read('scripts/asvs/asvs-5.0.0.json'));

/** Whether a test of the file has a name that begins so. */
function hasTest(file: string, title: string): boolean {
  const escaped = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`\\(\\s*['"\`]${escaped}`).test(read(file));
}

function preflightIds(): string {
  const folder = 'examples/reference-server/src/preflight/';
  return readdirSync(root + folder)
    .map((file) => read(folder + file))
    .join('\n')
    .replaceAll(/\$\{store\}/g, 'database');
}

describe('the claims about OWASP ASVS', () => {
  test('DOC-4 every item of levels 1 and 2 is there exactly once, under its level, in order', () => {
    for (const [level, ids] of Object.entries(itemsOf)) {
      expect(asvsClaims.filter((claim) => claim.level === Number(level)).map(({ id }) => id)).toEqual(ids);
    }
    expect(new Set(asvsClaims.map(({ id }) => id)).size).toBe(asvsClaims.length);
    expect(asvsClaims).toHaveLength(Object.values(itemsOf).flat().length);
  });

  test('DOC-4 none is blank: each says what proves it, what to do, what instead, or why not', () => {
    const isSaid = (text: string) => text.trim().length > 10;
    const isBlank = (claim: AsvsClaim) => {
      if (!isSaid(claim.subject)) return true;
      if (claim.status === 'tested') return claim.tests.length === 0;
      if (claim.status === 'deployer') return !isSaid(claim.duty);
      return !isSaid(claim.why) || (claim.status === 'deviation' && !isSaid(claim.instead));
    };
    expect(asvsClaims.filter(isBlank)).toEqual([]);
  });

  test('DOC-4 every test that is named exists, and a wrong name would be found', () => {
    const named = asvsClaims.flatMap(testsOf).map(splitTest);
    expect(named.filter(([file, title]) => !existsSync(root + file) || !hasTest(file, title))).toEqual([]);
    const [file, title] = named[0] as [string, string];
    expect(hasTest(file, `${title} and more`)).toBe(false);
  });

  test('DOC-4 every check, part, setting and finding of preflight that is named exists', () => {
    const sightings = acceptanceChecks.flatMap(({ id, parts = [] }) => [id, ...parts.map((part) => `${id}#${part}`)]);
    expect(asvsClaims.flatMap(sightingsOf).filter((sighting) => !sightings.includes(sighting))).toEqual([]);
    const duties = asvsClaims.filter((claim) => claim.status === 'deployer');
    expect(duties.flatMap(({ settings: named = [] }) => named).filter((name) => !(name in settings))).toEqual([]);
    const ids = preflightIds();
    const isFinding = (id: string) => ids.includes(`'${id}'`) || ids.includes(`\`${id}\``);
    expect(duties.flatMap(({ preflight = [] }) => preflight).filter((id) => !isFinding(id))).toEqual([]);
    expect(isFinding('keys.imaginary')).toBe(false);
  });

  test('DOC-4 every parameter, variable and finding that a sentence names exists', () => {
    const readme = read('examples/reference-server/README.md');
    const sentences = JSON.stringify(asvsClaims);
    const named = (pattern: RegExp) => [...new Set([...sentences.matchAll(pattern)].map(([name]) => name))];
    const names = [
      ...named(/\b(?:admin|app|auth)\.(?:auth|storage|token)\.[a-z.-]*[a-z-]/g),
      ...named(/\bSERVICE_[A-Z0-9_]+/g),
      ...named(/(?<=\()parameters\.[a-z-]+(?=\))/g).map((id) => `'${id}'`),
    ];
    expect(names.length).toBeGreaterThan(8);
    const parameters = JSON.stringify([passwordRuleParameters, uploadPolicyParameters]);
    const where = readme + parameters + preflightIds();
    expect(names.filter((name) => !where.includes(name))).toEqual([]);
  });

  test('DOC-4 docs/asvs.md is what `pnpm run asvs` writes, and the threat model leads to it', () => {
    expect(read('docs/asvs.md')).toBe(asvsPage());
    expect(read('docs/threat-model.md')).toContain('](asvs.md)');
  });
});
