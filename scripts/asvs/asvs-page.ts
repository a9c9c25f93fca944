import type { AsvsClaim, ClaimStatus, TestName } from '../../examples/reference-server/acceptance/asvs/claim.js';
import { sightingsOf, testsOf } from '../../examples/reference-server/acceptance/asvs/claim.js';
import { asvsClaims } from '../../examples/reference-server/acceptance/asvs/claims.js';
import {
  COMPLETE_CHAPTERS,
  chapterOf,
  chapterTitle,
} from '../../examples/reference-server/acceptance/asvs/standard.js';

const STATUSES: Readonly<Record<ClaimStatus, string>> = {
  tested: 'tests of this repository prove it',
  deployer: 'you have to do it; the entry says what, and what preflight finds',
  deviation: 'the release does otherwise; the entry says why, and what instead',
  'not applicable': 'there is nothing that the item is about',
};

/** `docs/asvs.md` (DOC-4): what this release says of each item, from the claims of the acceptance command. */
export function asvsPage(): string {
  const chapters = [...new Set(asvsClaims.map(({ id }) => chapterOf(id)))];
  return `${[
    ...introduction(),
    ...chapters.flatMap((chapter) => {
      const claims = asvsClaims.filter(({ id }) => chapterOf(id) === chapter);
      const isComplete = COMPLETE_CHAPTERS.some((complete) => complete === chapter);
      const extent = isComplete ? [] : ['Single items only.', ''];
      return [`## ${chapter} ${chapterTitle(chapter)}`, '', ...extent, ...claims.map(entryOf), ''];
    }),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

function introduction(): string[] {
  const of = (status: ClaimStatus) => asvsClaims.filter((claim) => claim.status === status).length;
  const seen = asvsClaims.filter((claim) => sightingsOf(claim).length > 0).length;
  return [
    '# OWASP ASVS 5.0.0',
    '',
    '<!-- Written by `pnpm run asvs` from examples/reference-server/acceptance/asvs. Change the claims there. -->',
    '',
    'This page says, for items of levels 1 and 2 of the [OWASP Application Security Verification Standard ' +
      '5.0.0](https://owasp.org/asvs), what the [reference server](../examples/reference-server/README.md) does ' +
      `about each: every item of the chapters ${COMPLETE_CHAPTERS.join(', ')}, and single ones of others. The ids and ` +
      'levels are those of the standard. The subjects are words of this project, which only remind of an item: read the ' +
      'standard for what it asks.',
    '',
    'It is evidence, never a certification. Nobody outside of this project has assessed it. Sallyport certifies no ' +
      'deployment against a standard ([threat model](threat-model.md#out-of-scope)).',
    '',
    ...(Object.entries(STATUSES) as [ClaimStatus, string][]).map(([status, meaning]) => {
      return `- **${status}** (${of(status)} of ${asvsClaims.length}): ${meaning}.`;
    }),
    '',
    `Checks of the [acceptance command](../examples/reference-server/README.md#acceptance) see ${seen} of the items on ` +
      'a running deployment. With `--attestation FILE` it writes what it saw.',
    '',
  ];
}

function entryOf(claim: AsvsClaim): string {
  const { id, level, status, subject } = claim;
  const lines = [
    `- **${id}** (level ${level}, ${status}) ${subject}.`,
    ...detailsOf(claim),
    ...listOf('Tests', testsOf(claim).map(testLink)),
    ...listOf('Seen by', sightingsOf(claim).map(codeOf)),
  ];
  return lines.join('\n  ');
}

function detailsOf(claim: AsvsClaim): string[] {
  if (claim.status === 'tested') return claim.note === undefined ? [] : [claim.note];
  if (claim.status === 'deviation') return [claim.why, `Instead: ${claim.instead}`];
  if (claim.status === 'not applicable') return [claim.why];
  return [
    claim.duty,
    ...listOf('Settings', (claim.settings ?? []).map(codeOf)),
    ...listOf('Preflight', (claim.preflight ?? []).map(codeOf)),
  ];
}

const listOf = (name: string, items: readonly string[]) =>
  items.length === 0 ? [] : [`${name}: ${items.join(', ')}.`];

const codeOf = (text: string) => `\`${text}\``;

function testLink(test: TestName): string {
  const [file, title] = splitTest(test);
  const ids = /^(?:[A-Z]+-[A-Z]?\d+ ?)+/.exec(title)?.[0].trim() ?? title;
  return `[${ids}](../${file})`;
}

/** File and beginning of the name. */
export function splitTest(test: TestName): [file: string, title: string] {
  const colon = test.indexOf(': ');
  return [test.slice(0, colon), test.slice(colon + 2)];
}
