import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { createPasswordHashing } from '../src/index.js';

/** Eight on two cores. */
const BUSY_PROCESSES = 4 * availableParallelism();

/** A hundred take two to five minutes. */
const SIGN_INS = 10;

/** Processes that end by themselves if the test can't end them. */
async function occupyTheCores(): Promise<void> {
  const busy = Array.from({ length: BUSY_PROCESSES }, () =>
    spawn(process.execPath, [
      '-e',
      "process.stdout.write('busy'); for (const end = Date.now() + 300_000; Date.now() < end; );",
    ]),
  );
  onTestFinished(() => busy.forEach((each) => void each.kill('SIGKILL')));
  await Promise.all(busy.map(({ stdout }) => new Promise((resolve) => stdout.once('data', resolve))));
}

it('PWD-5 a sign-in that is alone is not refused on a machine with four busy processes on each core', async () => {
  const lines: string[] = [];
  const log = { error: (_details: object, message: string) => lines.push(message) };
  const passwords = createPasswordHashing({ threads: 1, log });
  onTestFinished(() => passwords.close());
  const stored = await passwords.hash('secret');
  await occupyTheCores();
  for (let signIn = 0; signIn < SIGN_INS; signIn += 1) {
    expect(await passwords.verify('secret', stored, '192.0.2.1')).toBe(true);
  }
  expect(await passwords.verify('secret', null, '192.0.2.1')).toBe(false);
  expect(lines).toEqual([]);
}, 240_000);
