import { networkOf } from './records/client-address.js';

/** How many of the refusals that anybody can cause are recorded. */
export interface RefusalLimit {
  /** Whether the next one of this client is recorded. If not, it is counted. */
  admits(client: string): boolean;
  /** How many were only counted in the windows that are over, of those that nobody asked for yet; at the end in this one too. */
  takeOmitted(isEnd?: boolean): number;
  /** How many were only counted since the start. */
  omitted(): number;
}

const WINDOW_MILLIS = 60_000;

/** The most clients counted in one window: about 2 MB. Beyond that nothing is recorded of a client not seen in it. */
const MAX_CLIENTS = 20_000;

/** What is recorded of all clients together is at most so many times what is of one: whoever has a network has many addresses. */
const MOST_CLIENTS_WORTH = 100;

/** Counts in windows that begin for all at once, so that forgetting one is dropping a map. */
export function createRefusalLimit(maxPerMinute: number, now: () => number): RefusalLimit {
  let counts = new Map<string, number>();
  let admitted = 0;
  let windowEndsAt = 0;
  let omittedAtTurn = 0;
  let omitted = 0;
  let taken = 0;

  function turnWindow(): void {
    const time = now();
    if (time < windowEndsAt && time >= windowEndsAt - WINDOW_MILLIS) return;
    counts = new Map();
    admitted = 0;
    windowEndsAt = time + WINDOW_MILLIS;
    omittedAtTurn = omitted;
  }

  return {
    admits(client) {
      turnWindow();
      const network = networkOf(client);
      const count = counts.get(network) ?? 0;
      const isAdmitted =
        count < maxPerMinute &&
        admitted < maxPerMinute * MOST_CLIENTS_WORTH &&
        (count > 0 || counts.size < MAX_CLIENTS);
      if (isAdmitted) {
        counts.set(network, count + 1);
        admitted += 1;
      } else omitted += 1;
      return isAdmitted;
    },
    takeOmitted(isEnd = false) {
      turnWindow();
      const reached = isEnd ? omitted : omittedAtTurn;
      const count = reached - taken;
      taken = reached;
      return count;
    },
    omitted: () => omitted,
  };
}
