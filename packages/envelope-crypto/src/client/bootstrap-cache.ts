import type { EnvelopeBootstrap } from '../server/envelope-crypto.js';

/** The service's description of its encryption: read once, for all callers that wait for it. */
export interface BootstrapCache {
  current(): Promise<EnvelopeBootstrap>;
  /** The description that follows a stale one; read again only if nobody has done so since. */
  after(stale: EnvelopeBootstrap): Promise<EnvelopeBootstrap>;
  forget(): void;
}

export function createBootstrapCache(read: () => Promise<EnvelopeBootstrap>): BootstrapCache {
  let reading: Promise<EnvelopeBootstrap> | null = null;

  function current(): Promise<EnvelopeBootstrap> {
    if (reading === null) {
      const started = read();
      reading = started;
      // A failure is told to whoever waits for it, and the next one tries again.
      started.catch(() => {
        if (reading === started) reading = null;
      });
    }
    return reading;
  }

  return {
    current,
    async after(stale) {
      if ((await current()) === stale) reading = null;
      return current();
    },
    forget() {
      reading = null;
    },
  };
}
