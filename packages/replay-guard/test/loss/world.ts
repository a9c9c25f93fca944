import type { StoreMarks } from '@sallyport/ttl-store';
import { createLosingStore } from '../../../../scripts/losing-store.js';
import { createReplayGuard, type ReplayGuard, type ReplayGuardEvent, type Witness } from '../../src/index.js';
import { openedEnvelope } from '../envelopes.js';

const START = 1_763_700_000_000;

/** True time, the monotonic clock of the servers, and the clock of the store. */
export class World {
  elapsed = 0;
  storeOffset = 0;
  readonly losing = createLosingStore(() => START + this.elapsed + this.storeOffset);
  readonly events: ReplayGuardEvent[] = [];

  /** A server whose process started long ago. With `onAnswer` it does something before it reads an answer. */
  start(witness: Witness | null = null, onAnswer: () => void = () => {}): ReplayGuard {
    const startedAt = this.elapsed;
    const marks = this.losing.store.marks as StoreMarks;
    const keep: StoreMarks['keep'] = async (...given) => {
      const sight = await marks.keep(...given);
      onAnswer();
      return sight;
    };
    return createReplayGuard({
      store: { ...this.losing.store, marks: { ...marks, keep } },
      witness,
      onEvent: (event) => void this.events.push(event),
      monotonic: () => 60_000 + this.elapsed - startedAt,
      wait: async (millis) => {
        const until = this.elapsed + millis;
        await null;
        this.elapsed = Math.max(this.elapsed, until);
      },
    });
  }

  get now(): number {
    return START + this.elapsed;
  }

  envelope(aheadMillis = 0) {
    return openedEnvelope({ timestamp: this.now + aheadMillis, receivedAt: this.now });
  }
}

export async function openWorld(servers = 2) {
  const world = new World();
  const guards = Array.from({ length: servers }, () => world.start());
  for (const guard of guards) await guard.watchStore();
  // What another process may have accepted before they were the first here.
  world.elapsed += 1001;
  for (const guard of guards) await guard.watchStore();
  return { world, guards };
}
