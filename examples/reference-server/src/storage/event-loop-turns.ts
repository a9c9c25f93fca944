import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';

/** The time for which statements may run without a turn of the event loop, in milliseconds. */
const MAX_HELD_MILLIS = 4;

/**
 * Yields to the event loop between statements. PGlite runs in this thread, and waiting statements follow one another as
 * microtasks. A burst of them would block all other requests until the last one is done (PRF-6).
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
