/** Together less than 5 s: that soon silence is noticed. Requirement REL-15. */
const PING_MILLIS = 2000;
const HEARD_WITHIN_MILLIS = 2500;

export interface HearingOptions {
  /** Sends a notification that only this subscription takes for its own. */
  readonly ping: () => PromiseLike<unknown>;
  /** Called when pings are no longer heard, and when they are again. */
  readonly onHearing: (isHeard: boolean) => void;
  /** Called instead of notifications while none are heard. */
  readonly poll: () => void;
}

export interface Hearing {
  /** Pings at once: LISTEN has succeeded. */
  listened(): void;
  /** The last ping has arrived. */
  heard(): void;
  end(): void;
}

/**
 * Watches whether notifications arrive. Behind a pooler in transaction mode LISTEN succeeds, on a connection of
 * PostgreSQL that serves others afterwards.
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
    // A database that hangs would collect a ping each time.
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
