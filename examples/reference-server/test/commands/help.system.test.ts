import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { runInTurn } from './commands-in-turn.js';

const folder = fileURLToPath(new URL('../..', import.meta.url));

/** In processes of their own, as a user starts them. */
const OWN = ['commands/audit', 'server'];

/** All of them. In one process, since each would load the same modules for seconds. */
const COMMANDS = [
  'commands/audit',
  'commands/create-administrator',
  'commands/hash-passwords',
  'commands/move-schema',
  'commands/notification-worker',
  'commands/policy',
  'commands/preflight',
  'commands/second-factor',
  'commands/sign-in',
  'commands/unlock',
  'server',
];

// It must not matter.
const env = { PATH: process.env.PATH, SERVICE_MISSPELT: 'x' };

function expectHelp(stdout: string, stderr: string): void {
  expect([stdout.length > 80, stderr]).toEqual([true, '']);
  expect(stdout).toMatch(/Exit status|Every setting/);
}

describe('every command', { timeout: 90_000 }, () => {
  beforeAll(() => build());

  it.each(OWN)('API-4 %s shows its help, whatever the environment, and exits with 0', async (command) => {
    const argv = [`dist/${command}.js`, '--help'];
    // Rejects if the status is another one.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { cwd: folder, env });
    expectHelp(stdout, stderr);
  });

  it.each(['--help', '-h'])('API-4 shows it for %s, and exits with 0', (word) => {
    const runs = COMMANDS.map((command) => ({
      command: new URL(`../../dist/${command}.js`, import.meta.url).href,
      words: [word],
    }));
    const ended = runInTurn(runs, env);
    expect(ended.map(({ status }) => status)).toEqual(runs.map(() => 0));
    for (const { out, err } of ended) expectHelp(out, err);
  });
});
