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

  /**
   * A server whose process started long ago. With `onAnswer` it does something before it reads an answer, with
   * `beforeWrite` before a mark that it writes reaches the store.
   */
  start(
    witness: Witness | null = null,
    onAnswer: () => void = () => {},
    beforeWrite: () => void | Promise<void> = () => {},
  ): ReplayGuard {
    const startedAt = this.elapsed;
    const marks = this.losing.store.marks as StoreMarks;
    const keep: StoreMarks['keep'] = async (...given) => {
      const sight = await marks.keep(...given);
      onAnswer();
      return sight;
    };
    const replace: StoreMarks['replace'] = async (...given) => {
      await beforeWrite();
      return marks.replace(...given);
    };
    return createReplayGuard({
      store: { ...this.losing.store, marks: { ...marks, keep, replace } },
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

/** So many seconds, in each of which every server looks at the store. */
export async function beats(world: World, guards: readonly ReplayGuard[], count: number): Promise<void> {
  for (let beat = 0; beat < count; beat += 1) {
    world.elapsed += 1000;
    for (const guard of guards) await guard.watchStore();
  }
}
