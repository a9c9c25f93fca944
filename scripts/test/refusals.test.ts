import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { CaptchaRefusalCode } from '../../packages/captcha/src/index.js';
import { SetupError } from '../../packages/plugin-kit/src/options/index.js';
import type { Refusals } from '../../packages/plugin-kit/src/refusals/refusals.js';
import { readSource, sources } from './import-graph.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders with a table. The other packages refuse nobody: replay-guard throws the errors of envelope-crypto. */
const folders = new Map(
  readdirSync(`${root}packages`).flatMap((name) =>
    [`${name}/src`, `${name}/src/postgres`]
      .filter((folder) => existsSync(`${root}packages/${folder}/refusals.ts`))
      .map((folder) => [name, folder] as const),
  ),
);

interface Loaded {
  readonly refusals: Refusals;
  readonly exported: Readonly<Record<string, unknown>>;
}

const loaded = new Map<string, Loaded>(
  await Promise.all(
    [...folders].map(async ([name, folder]) => {
      const exported = await import(`${root}packages/${folder}/index.ts`);
      return [name, { exported, refusals: exported.refusals }] as const;
    }),
  ),
);
const statuses = new Map(
  [...loaded.values()].flatMap(({ refusals }) =>
    Object.entries(refusals).map(([code, { status }]) => [code, status] as const),
  ),
);

/** The codes of the error classes that an entry exports. */
function codesOfClasses(exported: Loaded['exported']): string[] {
  const classes = Object.values(exported).filter(
    (value): value is { code?: string; prototype: Error } =>
      typeof value === 'function' && value.prototype instanceof Error && !(value.prototype instanceof SetupError),
  );
  return [...new Set(classes.flatMap(({ code }) => code ?? []))].sort();
}

/** README and pages of reference of a package. */
function pagesOf(name: string): string {
  const folder = `${root}docs/reference/${name}`;
  const pages = existsSync(folder) ? readdirSync(folder).map((page) => `${folder}/${page}`) : [`${folder}.md`];
  const files = [`${root}packages/${name}/README.md`, ...pages].filter(existsSync);
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** The codes of a page with their statuses: in rows of tables, in bodies, and in sentences. */
function refusalsIn(page: string): (readonly [code: string, status: number])[] {
  const rows = page.split('\n').flatMap((line) => {
    const status = /^\|(?:.*?\|)?? *([45]\d\d) *\|/.exec(line)?.[1];
    const codes = [...line.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`(?=[^|]*\|)/g)];
    return status === undefined ? [] : codes.map(([, code]) => [code!, Number(status)] as const);
  });
  const bodies = [...page.matchAll(/"statusCode":\s*(\d+),\s*"code":\s*"([A-Z_]+)"/g)];
  const before = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)` \(([45]\d\d)\)/g)];
  const after = [...page.matchAll(/\b([45]\d\d)(?: |, (?:and )?`code` )`([A-Z]+(?:_[A-Z]+)+)`/g)];
  return [
    ...rows,
    ...before.map(([, code, status]) => [code!, Number(status)] as const),
    ...[...bodies, ...after].map(([, status, code]) => [code!, Number(status)] as const),
  ];
}

describe.each([...loaded])('%s', (name, { refusals, exported }) => {
  test('HSE-4 its table has the codes of its error classes, and no others', () => {
    expect(codesOfClasses(exported)).toEqual(Object.keys(refusals).sort());
  });

  test('HSE-4 its pages list the codes of its table with their statuses', () => {
    const listed = new Map(refusalsIn(pagesOf(name)));
    const own = Object.entries(refusals).map(([code, { status }]) => [code, status]);
    expect(own.map(([code]) => [code, listed.get(code as string)])).toEqual(own);
  });

  test('HSE-4 each of its refusals has sentences in both languages, and the status of an error', () => {
    for (const [code, { status, en, 'zh-CN': chinese }] of Object.entries(refusals)) {
      expect([code, en, chinese]).toEqual([
        expect.stringMatching(/^[A-Z]+(?:_[A-Z]+)+$/),
        expect.stringMatching(/^[A-Z].+\.$/),
        expect.stringMatching(/.+。$/),
      ]);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe('refusals', () => {
  test('HSE-4 thirteen packages have a table, and no code is in two of them', () => {
    expect([...folders.keys()]).toHaveLength(13);
    const codes = [...loaded.values()].flatMap(({ refusals }) => Object.keys(refusals));
    expect(codes.length).toBeGreaterThan(60);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test('HSE-4 no package names an error of its own, or of another, with another status', () => {
    const wrong = readdirSync(`${root}packages`).flatMap((name) =>
      refusalsIn(pagesOf(name)).filter(([code, status]) => statuses.has(code) && statuses.get(code) !== status),
    );
    expect(wrong).toEqual([]);
  });

  test('HSE-4 an error with a status is made from a table', () => {
    const made = sources
      .filter((path) => /^packages\/[^/]+\/src\//.test(path))
      .flatMap((path) => [...readSource(path).matchAll(/createError(?:<[^>]*>)?\(\s*'(\w+)'|readonly statusCode = /g)])
      .map(([match, code]) => code ?? match);
    // A cause that no client sees, errors of Fastify itself, and setup errors.
    expect(made).toEqual([
      'ENVELOPE_QUEUE_FULL',
      'FST_ERR_CTP_BODY_TOO_LARGE',
      'FST_ERR_REP_RESPONSE_BODY_CONSUMED',
      'readonly statusCode = ',
    ]);
  });

  test('HSE-4 a row, a body and a sentence of a page are read', () => {
    const body = '{\n  "statusCode": 503,\n  "code": "A_B"\n}';
    expect(refusalsIn(`| 401 | \`A_B\`, \`A_C\` | x |\n| \`AError\` | 400 | \`A_D\` | x |\n${body}`)).toEqual([
      ['A_B', 401],
      ['A_C', 401],
      ['A_D', 400],
      ['A_B', 503],
    ]);
    expect(refusalsIn('with 400 `A_B`, and `A_C` (503); `statusCode` 429, `code` `A_D`')).toEqual([
      ['A_C', 503],
      ['A_B', 400],
      ['A_D', 429],
    ]);
  });

  test('HSE-4 a switch over the codes of a package is exhaustive: the compiler refuses a code that is left out', () => {
    function isWorthRepeating(code: CaptchaRefusalCode): boolean {
      switch (code) {
        case 'CAPTCHA_BUSY':
        case 'CAPTCHA_PROVIDER_UNAVAILABLE':
          return true;
        case 'CAPTCHA_REQUEST_REFUSED':
          return false;
        default:
          return code satisfies never;
      }
    }
    expect(isWorthRepeating('CAPTCHA_BUSY')).toBe(true);
  });
});
