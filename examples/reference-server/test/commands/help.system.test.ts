import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/build.mjs';

const folder = fileURLToPath(new URL('../..', import.meta.url));

const COMMANDS = [
  'commands/audit',
  'commands/create-administrator',
  'commands/move-schema',
  'commands/notification-worker',
  'commands/policy',
  'commands/preflight',
  'commands/sign-in',
  'commands/unlock',
  'server',
];

describe('every command', { timeout: 90_000 }, () => {
  beforeAll(() => build());

  it.each(COMMANDS)('API-4 %s shows its help, whatever the environment, and exits with 0', async (command) => {
    for (const option of ['--help', '-h']) {
      const argv = [`dist/${command}.js`, option];
      // Rejects if the status is another one.
      const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, {
        cwd: folder,
        env: { PATH: process.env.PATH, SERVICE_MISSPELT: 'x' },
      });
      expect([stdout.length > 80, stderr]).toEqual([true, '']);
      expect(stdout).toMatch(/Exit status|Every setting/);
    }
  });
});
