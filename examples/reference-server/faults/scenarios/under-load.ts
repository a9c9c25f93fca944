import type { LoadClient } from '../load-client.js';
import type { Harm } from '../observed-run.js';

/** How many keys are under way at any time. */
const CONCURRENCY = 8;

/** Keeps clients writing while harm is done, and then until every key is decided. Yields what `harm` does. */
export async function underLoad(client: LoadClient, harm: () => Promise<Harm>): Promise<Harm> {
  const load = client.start(CONCURRENCY);
  try {
    return await harm();
  } finally {
    await load.stop();
  }
}

/** A point is passed up to this often before a node stops there, so that other requests are in every other state. */
const MAX_PASS = 25;

export function randomPass(): number {
  return 1 + Math.floor(Math.random() * MAX_PASS);
}
