import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { runInTurn } from './commands-in-turn.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const SERVER = 'examples/reference-server';

interface Command {
  /** The arguments of node. */
  readonly run: readonly string[];
  /** Words that are wrong, and what the refusal names. */
  readonly refuses: readonly (readonly [words: readonly string[], nearest: string])[];
}

const built = (name: string, ...refuses: Command['refuses']): Command => ({
  run: [`${SERVER}/dist/${name}.js`],
  refuses: [[['--hepl'], '--help'], ...refuses],
});

/** The commands of the README, and those of the server. */
const commands: Readonly<Record<string, Command>> = {
  'pnpm start': {
    run: ['scripts/start.mjs'],
    refuses: [
      [['--port', '3005'], 'SERVICE_PORT'],
      [['SERVICE_PORT=3005'], 'SERVICE_PORT'],
      [['--hepl'], '--help'],
    ],
  },
  'pnpm sign-in': { run: ['scripts/sign-in.mjs'], refuses: [[['--ulr', 'http://127.0.0.1:1'], '--url']] },
  'pnpm demo': { run: ['scripts/demo.mjs'], refuses: [[['hepl'], '--help']] },
  'pnpm faults': {
    run: ['--import', 'tsx', `${SERVER}/faults/main.ts`],
    refuses: [
      [['rel-99'], 'rel-9'],
      [['rel-1', '--store', 'postgrse'], 'postgres'],
      [['--kils', '3'], '--kills'],
    ],
  },
  server: built('server', [['--data-dir', 'x'], 'SERVICE_DATA_DIR']),
  acceptance: built('acceptance/main', [['--onyl', 'tokens'], '--only'], [['--list', '--only', 'tokns'], 'tokens']),
  audit: built(
    'commands/audit',
    [['verfy'], 'verify'],
    [['acept-state'], 'accept-state'],
    [['retain', '--kep-days=9'], '--keep-days'],
  ),
  'create-administrator': built('commands/create-administrator', [['--usrname', 'ada'], '--username']),
  'hash-passwords': built('commands/hash-passwords'),
  'move-schema': built('commands/move-schema', [['--form', 'public'], '--from']),
  'notification-worker': built('commands/notification-worker', [['hepl'], '--help']),
  policy: built('commands/policy', [['nits'], 'nist'], [['nist', '--aply'], '--apply']),
  preflight: built('commands/preflight', [['--jsno'], '--json'], [['strict'], '--strict']),
  'second-factor': built('commands/second-factor'),
  'sign-in': built('commands/sign-in', [['username=ada'], '--username']),
  unlock: built('commands/unlock', [['--adress', '127.0.0.1'], '--address']),
};

const cases = Object.entries(commands).flatMap(([name, { run, refuses }]) =>
  refuses.map(([words, nearest]) => ({ name, run, words, nearest })),
);

/** What takes seconds to load runs in one process. The commands of the README each have their own. */
const loaded = [
  { what: 'built commands', loader: [], given: cases.filter(({ run }) => run[0]!.includes('/dist/')) },
  { what: 'fault harness', loader: ['--import', 'tsx'], given: cases.filter(({ run }) => run[0] === '--import') },
];
const own = cases.filter((each) => !loaded.some(({ given }) => given.includes(each)));

const refusal = (nearest: string) => new RegExp(`^[A-Z][^.\\n]+\\. .+${nearest}\\b.*\\n$`);

// `pnpm start` and `pnpm demo` look first whether something is to be built, and see that it was.
describe('an unknown word', { timeout: 90_000 }, () => {
  beforeAll(() => build());

  it('OPS-12 the table has every command of the server', () => {
    const folder = fileURLToPath(new URL('../../src/commands/', import.meta.url));
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const programs = sources.filter((name) => /\bprocess\.argv\b/.test(readFileSync(folder + name, 'utf8')));
    expect(programs.filter((name) => !name.endsWith('-command.ts')).map((name) => name.slice(0, -3))).toEqual(
      Object.keys(commands).filter((name) => commands[name]!.run[0]!.includes('/commands/')),
    );
  });

  it.each(loaded)('OPS-12 the $what: each refuses its words, and names the nearest one', ({ loader, given }) => {
    const ended = runInTurn(
      given.map(({ run, words }) => ({ command: new URL(run.at(-1)!, pathToFileURL(root)).href, words })),
      { PATH: process.env.PATH },
      loader,
    );
    const wanted = given.map(({ nearest }) => ({ out: '', err: expect.stringMatching(refusal(nearest)) }));
    expect(ended.map(({ out, err }) => ({ out, err }))).toEqual(wanted);
    for (const { status } of ended) expect([1, 2]).toContain(status);
  });

  it.each(own)('OPS-12 $name refuses $words, and names $nearest', ({ run, words, nearest }) => {
    const { BUILD_MARK, PATH } = process.env;
    const { status, stderr } = spawnSync(process.execPath, [...run, ...words], {
      cwd: root,
      env: { BUILD_MARK, PATH },
      encoding: 'utf8',
    });
    expect(stderr).toMatch(refusal(nearest));
    expect([1, 2]).toContain(status);
  });
});
