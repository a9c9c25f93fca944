import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';

/** How long statements may follow each other before the event loop has a turn, in milliseconds. */
const MAX_HELD_MILLIS = 4;

/**
 * Lets the event loop turn between statements. PGlite runs in this thread, and the statements that wait for it follow
 * one another as microtasks: a burst of them would hold up every other request until the last is done (PRF-6).
 */
export function letEventLoopTurn(client: PGlite): void {
  const execute = client.execProtocolRaw.bind(client);
  let heldSince = performance.now();
  client.execProtocolRaw = async (...statement) => {
    if (performance.now() - heldSince > MAX_HELD_MILLIS) {
      await setImmediate();
      heldSince = performance.now();
    }
    return execute(...statement);
  };
}
