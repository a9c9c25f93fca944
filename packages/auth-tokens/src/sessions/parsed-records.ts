import { createRecentlyUsed } from '../lru-cache.js';
import type { SessionRecord } from './session-record.js';

/** Of how many subjects the record is remembered at least, and at most twice as many: as a rule some 4 MB. */
const RECORDS_KEPT = 2048;

/** Longer texts are parsed each time, so that no more than 64 MB can ever be remembered. */
const LONGEST_KEPT = 8192;

interface Parsed {
  readonly text: string;
  readonly record: SessionRecord;
}

/**
 * Remembers what a text was parsed to. The store is asked at every request, and says the same until the session is used
 * or ended: what is remembered is good for that very text and no other, so nothing can be out of date.
 */
export function rememberParsed(parse: (text: string) => SessionRecord): (name: string, text: string) => SessionRecord {
  const known = createRecentlyUsed<Parsed>(RECORDS_KEPT);
  return function parseOnce(name, text) {
    const remembered = known.get(name);
    if (remembered?.text === text) return remembered.record;
    const record = frozen(parse(text));
    if (text.length <= LONGEST_KEPT) known.set(name, { text, record });
    return record;
  };
}

/** Many requests read it. */
function frozen(record: SessionRecord): SessionRecord {
  for (const part of [...record.live, ...record.ended, record.live, record.ended, record.allEnded]) Object.freeze(part);
  return Object.freeze(record);
}
