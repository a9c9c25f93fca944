import { networkKey, parseIpWithPort } from '@sallyport/plugin-kit/addresses';

/** Limits the number of recorded refusals of unknown clients. */
export interface RefusalLimit {
  /** Whether the next refusal of this client is recorded. If not, it is counted. */
  admits(client: string): boolean;
  /**
   * The number of refusals that were only counted in windows that have ended since the last call. With `isEnd`, the
   * current window is included.
   */
  takeOmitted(isEnd?: boolean): number;
  /** The number of refusals that were only counted since the start. */
  omitted(): number;
}

const WINDOW_MILLIS = 60_000;

/** The maximum number of clients in a window, about 2 MB. Refusals of further clients are not recorded. */
const MAX_CLIENTS = 20_000;

/** All clients together have this many times the limit of one, because an attacker may own many addresses. */
const ALL_CLIENTS_FACTOR = 100;

/** All clients have the same window, so that a new window only needs a new map. */
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
      const address = parseIpWithPort(client);
      const network = address === null ? client : networkKey(address);
      const count = counts.get(network) ?? 0;
      const isAdmitted =
        count < maxPerMinute &&
        admitted < maxPerMinute * ALL_CLIENTS_FACTOR &&
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
