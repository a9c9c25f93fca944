import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is yes; a recovery takes a moment that nobody can tell beforehand. */
export async function eventually(ask: () => Promise<boolean>, withinMillis = 5000): Promise<void> {
  const deadline = Date.now() + withinMillis;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`not so within ${withinMillis} ms`);
    await sleep(20);
  }
}
