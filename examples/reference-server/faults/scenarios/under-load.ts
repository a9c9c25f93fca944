import type { LoadClient } from '../load-client.js';
import type { Harm } from '../observed-run.js';

/** The number of keys in progress at a time. */
const CONCURRENCY = 8;

/** Keeps clients writing during `harm`, and then until every key is decided. Resolves to the result of `harm`. */
export async function underLoad(client: LoadClient, harm: () => Promise<Harm>): Promise<Harm> {
  const load = client.start(CONCURRENCY);
  try {
    return await harm();
  } finally {
    await load.stop();
  }
}

/** The maximum number of passes before a node stops at a point. Other requests are then in various states. */
const MAX_PASS = 25;

export function randomPass(): number {
  return 1 + Math.floor(Math.random() * MAX_PASS);
}
