import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats the question until the answer is true: a recovery takes an unknown time. */
export async function eventually(ask: () => Promise<boolean>, withinMillis = 5000): Promise<void> {
  const deadline = Date.now() + withinMillis;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`not so within ${withinMillis} ms`);
    await sleep(20);
  }
}
