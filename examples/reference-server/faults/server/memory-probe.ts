// Loaded before the server (`node --import`): on SIGWINCH, which the server leaves alone, it collects its garbage, and
// writes what is left to the descriptor on which the harness listens.
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const ANNOUNCEMENTS = 3;

/** Weak references and finalizers let go of their objects in several passes. */
const COLLECTIONS = 4;

async function report(collect: () => void): Promise<void> {
  for (let pass = 0; pass < COLLECTIONS; pass += 1) {
    collect();
    await turn();
  }
  const { heapUsed, external } = process.memoryUsage();
  writeSync(ANNOUNCEMENTS, `${heapUsed + external}\n`);
}

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  process.on('SIGWINCH', () => void report(collect));
}
