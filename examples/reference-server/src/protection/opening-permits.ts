import { startDeadline } from '@sallyport/plugin-kit/deadlines';

/** The right of a request to open its envelope. The first call ends it; later calls have no effect. */
export interface OpeningPermit {
  /** The opening was honest, or was free. Another one may begin. */
  giveBack(): void;
  /** The permit is used up until the window ends. */
  spend(): void;
}

export interface OpeningPermitsOptions {
  /** The permits of a client: those of running openings, and those that were spent in this window. */
  readonly perClient: number;
  /** The end of the present window, in milliseconds since the Unix epoch. */
  readonly windowEndsAt: () => number;
}

export interface OpeningPermits {
  /**
   * Gets a permit, at once if one is free. While other openings of the client are running, the request waits for ten
   * seconds at most. Null if all permits are spent.
   */
  take(client: string): OpeningPermit | Promise<OpeningPermit | null> | null;
}

/** Running openings end by the deadlines of the stores. This limit is for an overloaded machine. */
const MAX_WAIT_MILLIS = 10_000;

interface Client {
  underWay: number;
  spent: number;
  /** In the order of arrival. The flood gate bounds their number. */
  readonly waiting: Set<(permit: OpeningPermit | null) => void>;
}

/**
 * Bounds the envelopes of one client that are opened before it is known whether they are honest (ORD-6). An honest
 * request returns its permit within milliseconds, so parallel requests wait for each other and none is refused. A
 * forged one spends it.
 */
export function createOpeningPermits({ perClient, windowEndsAt }: OpeningPermitsOptions): OpeningPermits {
  const clients = new Map<string, Client>();
  let spentUntil = 0;

  function startNewWindow(): void {
    const end = windowEndsAt();
    if (end === spentUntil) return;
    spentUntil = end;
    for (const [name, client] of clients) {
      client.spent = 0;
      settle(name, client);
    }
  }

  /** Grants the free permits in the order of arrival, and refuses all if this window will have no more. */
  function settle(name: string, client: Client): void {
    for (const grant of client.waiting) {
      if (client.spent < perClient && client.underWay + client.spent >= perClient) break;
      client.waiting.delete(grant);
      grant(client.spent >= perClient ? null : begin(name, client));
    }
    if (client.underWay === 0 && client.spent === 0 && client.waiting.size === 0) clients.delete(name);
  }

  function begin(name: string, client: Client): OpeningPermit {
    client.underWay += 1;
    let hasEnded = false;
    const end = (spent: 0 | 1) => {
      if (hasEnded) return;
      hasEnded = true;
      startNewWindow();
      client.underWay -= 1;
      client.spent += spent;
      settle(name, client);
    };
    return { giveBack: () => end(0), spend: () => end(1) };
  }

  function waitForTurn(client: Client): Promise<OpeningPermit | null> {
    return new Promise((resolve) => {
      const cancel = startDeadline(MAX_WAIT_MILLIS, () => {
        client.waiting.delete(grant);
        resolve(null);
      });
      const grant = (permit: OpeningPermit | null) => {
        cancel();
        resolve(permit);
      };
      client.waiting.add(grant);
    });
  }

  return {
    take(name) {
      startNewWindow();
      const client = clients.get(name) ?? { underWay: 0, spent: 0, waiting: new Set() };
      clients.set(name, client);
      if (client.spent >= perClient) return null;
      return client.underWay + client.spent < perClient ? begin(name, client) : waitForTurn(client);
    },
  };
}
