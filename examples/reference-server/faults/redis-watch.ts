import { Redis } from 'ioredis';
import type { StoredValue } from './state-changes.js';

/** Watches what Redis stores of sessions, tickets and sent messages. */
export interface RedisWatch {
  /** Stops noting while Redis is away. Call it before it is stopped. */
  pause(): void;
  /** Notes what changed in between, and goes on. */
  resume(): Promise<void>;
  /** The replaced values since the last call, in order. */
  take(): readonly StoredValue[];
  close(): void;
}

const WATCHED = /(?:^|:)(?:session|ticket):|development-outbox$/;

/**
 * Reads the commands that Redis executes, those of scripts included (`MONITOR`). The nodes see nothing of it, and it
 * takes nothing from the audit log.
 */
export async function startRedisWatch(url: string, keyPrefix: string): Promise<RedisWatch> {
  const reader = new Redis(url, { lazyConnect: true });
  reader.on('error', () => {});
  const known = new Map<string, string>();
  let noted: StoredValue[] = [];
  /** Keys that were written since the last `resume`: a read of them may be older than what was noted. */
  const written = new Set<string>();
  let monitor: Redis | null = null;

  function note(key: string, after: string | null): void {
    const before = known.get(key) ?? null;
    if (before === after) return;
    if (after === null) known.delete(key);
    else known.set(key, after);
    noted.push({ key, before, after });
  }

  function noteCommand([command = '', key = '', value = '', ...options]: readonly string[]): void {
    if (!key.startsWith(keyPrefix) || !WATCHED.test(key)) return;
    const isSet = /^set$/i.test(command);
    // Reads are commands, too.
    if (!isSet && !/^(?:del|getdel|unlink)$/i.test(command)) return;
    const isRefused = known.has(key) && options.some((option) => option.toLowerCase() === 'nx');
    if (isRefused) return;
    written.add(key);
    note(key, isSet ? value : null);
  }

  async function resume(): Promise<void> {
    written.clear();
    const own = await reader.monitor();
    monitor = own;
    own.on('error', () => {});
    own.on('monitor', (_time: string, args: string[]) => {
      if (monitor === own) noteCommand(args);
    });
    for (const key of new Set([...(await reader.keys(`${keyPrefix}*`)), ...known.keys()])) {
      if (!WATCHED.test(key)) continue;
      const value = await reader.get(key);
      if (!written.has(key)) note(key, value);
    }
  }

  await resume();
  return {
    pause() {
      monitor?.disconnect();
      monitor = null;
    },
    resume,
    take() {
      const taken = noted;
      noted = [];
      return taken;
    },
    close() {
      monitor?.disconnect();
      reader.disconnect();
    },
  };
}
