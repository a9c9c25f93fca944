import { LruCache } from '@sallyport/plugin-kit/lru-cache';
import type { SessionRecord } from './session-state.js';

/** The minimum number of subjects in the cache. The maximum is twice as many, typically 4 MB. */
const MIN_CACHED_RECORDS = 2048;

/** The longest cached text, in characters. Longer texts are not cached, so the cache never exceeds 64 MB. */
const MAX_CACHED_LENGTH = 8192;

export interface ParsedRecord {
  readonly text: string;
  readonly record: SessionRecord;
}

export interface ParsedRecords {
  parse(name: string, text: string): SessionRecord;
  /** The record that was parsed last under this name, if it is cached. */
  last(name: string): ParsedRecord | undefined;
}

/**
 * Caches parsed records by name. The store is still read on every request, and a cached record is used only if the text
 * is the same, so it is never out of date.
 */
export function memoizeParser(parse: (text: string) => SessionRecord): ParsedRecords {
  const cache = new LruCache<ParsedRecord>(MIN_CACHED_RECORDS);
  return {
    parse(name, text) {
      const cached = cache.get(name);
      if (cached?.text === text) return cached.record;
      const record = deepFreeze(parse(text));
      if (text.length <= MAX_CACHED_LENGTH) cache.set(name, { text, record });
      // An earlier text is no longer the last one.
      else cache.delete(name);
      return record;
    },
    last: (name) => cache.get(name),
  };
}

/** The record is frozen because many requests share it. */
function deepFreeze(record: SessionRecord): SessionRecord {
  const proofs = record.live.map(({ proof }) => proof);
  const parts = [...proofs, ...record.live, ...record.ended, record.live, record.ended, record.allEnded];
  for (const part of parts) Object.freeze(part);
  return Object.freeze(record);
}
