// Preload module (`node --import`): on SIGWINCH, which the server does not use, it collects garbage and writes the heap
// size to the harness's descriptor.
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const ANNOUNCEMENTS = 3;

/** Weak references and finalizers release their objects in several passes. */
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
