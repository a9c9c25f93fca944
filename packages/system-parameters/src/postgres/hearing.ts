/** Together less than 5 s, the time within which missing notifications are noticed. Requirement REL-15. */
const PING_MILLIS = 2000;
const HEARD_WITHIN_MILLIS = 2500;

export interface HearingOptions {
  /** Sends a notification that only this subscription recognises. */
  readonly ping: () => PromiseLike<unknown>;
  /** Called when pings no longer arrive, and when they arrive again. */
  readonly onHearing: (isHeard: boolean) => void;
  /** Called at intervals while no notifications arrive. */
  readonly poll: () => void;
}

export interface Hearing {
  /** LISTEN has succeeded. Sends a ping at once. */
  listened(): void;
  /** The last ping has arrived. */
  heard(): void;
  end(): void;
}

/**
 * Checks whether notifications arrive. Behind a pooler in transaction mode LISTEN succeeds, but on a connection of
 * PostgreSQL that serves other clients afterwards.
 */
export function watchHearing({ ping, onHearing, poll }: HearingOptions): Hearing {
  let timer: NodeJS.Timeout | undefined;
  let isHeard = true;
  let isSending = false;
  let hasEnded = false;

  function later(work: () => void, millis: number): void {
    clearTimeout(timer);
    if (hasEnded) return;
    timer = setTimeout(work, millis);
    timer.unref();
  }

  function send(): void {
    later(miss, HEARD_WITHIN_MILLIS);
    // Otherwise, pings would pile up while a database hangs.
    if (isSending) return;
    isSending = true;
    Promise.resolve(ping())
      .catch(() => {})
      .finally(() => {
        isSending = false;
      });
  }

  function miss(): void {
    if (isHeard) onHearing(false);
    isHeard = false;
    poll();
    send();
  }

  return {
    listened: send,
    heard() {
      if (!isHeard) onHearing(true);
      isHeard = true;
      later(send, PING_MILLIS);
    },
    end() {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
