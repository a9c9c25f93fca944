import type { Json } from '../records/audit-record.js';
import { cleanText } from './clean-text.js';
import { isOpenValue, isValueMember, kindOfName, secretNamedIn } from './sensitive-names.js';
import { MASK, maskMobile, maskText } from './sensitive-values.js';

/** How much of a value is kept. */
export interface MaskLimits {
  /** Objects and lists within each other. Default 8. */
  readonly maxDepth?: number;
  /** Members and items altogether. Default 500. */
  readonly maxEntries?: number;
  /** Of one text, in UTF-16 units. Default 1000. */
  readonly maxTextLength?: number;
  /** Of the whole as JSON in UTF-8. Default 16 384. */
  readonly maxBytes?: number;
}

export const MASK_LIMITS = {
  maxDepth: 8,
  maxEntries: 500,
  maxTextLength: 1000,
  maxBytes: 16_384,
} as const satisfies Required<MaskLimits>;

/** What stands where something was left out for its size. */
const CUT = '[cut]';

const MAX_NAME_LENGTH = 128;

/** Masking reads this much of a text more than is kept of it, so that what it shortens makes room. */
const READ_FACTOR = 4;

/**
 * A copy as JSON that is safe to keep: secrets masked by the names of their members and by their looks, mobile numbers
 * in part, texts clean, and all of it bounded. It never throws and never runs on: cycles, getters that throw and values
 * that JSON can't say are named instead. Requirements AUD-3, AUD-7.
 */
export function maskSensitive(value: unknown, limits: MaskLimits = {}): Json {
  const { maxDepth, maxEntries, maxTextLength, maxBytes } = { ...MASK_LIMITS, ...limits };
  const ancestors = new Set<object>();
  let entriesLeft = maxEntries;
  let bytesLeft = maxBytes;

  function take<Kept extends Json>(kept: Kept, bytes: number): Kept | typeof CUT {
    bytesLeft -= bytes;
    return bytesLeft >= 0 ? kept : CUT;
  }

  function keepText(text: string, mask = maskText): Json {
    const kept = cleanText(mask(text.slice(0, maxTextLength * READ_FACTOR)), maxTextLength);
    return take(kept, bytesOf(kept));
  }

  function keep(item: unknown, kind: 'mobile' | 'plain', depth: number): Json {
    switch (typeof item) {
      case 'string':
        return keepText(item, kind === 'mobile' ? maskMobile : maskText);
      case 'number':
        return keepNumber(item, kind);
      case 'bigint':
        return keepText(String(item), kind === 'mobile' ? maskMobile : maskText);
      case 'boolean':
        return take(item, 5);
      case 'object':
        return item === null ? take(null, 4) : keepObject(item, kind, depth);
      default:
        return null;
    }
  }

  function keepNumber(number: number, kind: 'mobile' | 'plain'): Json {
    if (!Number.isFinite(number)) return keepText(String(number));
    const text = String(number);
    const masked = kind === 'mobile' ? maskMobile(text) : maskText(text);
    return masked === text ? take(number, text.length) : keepText(masked, (same) => same);
  }

  function keepObject(item: object, kind: 'mobile' | 'plain', depth: number): Json {
    const named = nameOfSpecial(item);
    if (named !== null) return keepText(named);
    if (ancestors.has(item)) return take('[cycle]', 9);
    if (depth >= maxDepth) return take(CUT, 7);
    ancestors.add(item);
    try {
      const { toJSON } = item as { toJSON?: unknown };
      if (typeof toJSON === 'function') return keep(toJSON.call(item, ''), kind, depth + 1);
      return Array.isArray(item) ? keepList(item, kind, depth) : keepMembers(item, kind, depth);
    } catch {
      return take('[unreadable]', 14);
    } finally {
      ancestors.delete(item);
    }
  }

  function keepList(items: readonly unknown[], kind: 'mobile' | 'plain', depth: number): Json {
    const [name] = items;
    // `['password', '…']`, as a list of entries has it.
    if (items.length === 2 && typeof name === 'string' && kindOfName(name.slice(0, MAX_NAME_LENGTH)) === 'secret')
      return [keepText(name), take(MASK, 10)];
    const kept: Json[] = [];
    for (const item of items) {
      if (isFull()) return [...kept, CUT];
      kept.push(keep(item, kind, depth + 1));
    }
    return kept;
  }

  function keepMembers(item: object, kind: 'mobile' | 'plain', depth: number): Json {
    const kept: [string, Json][] = [];
    const named = secretNamedIn(item);
    for (const name in item) {
      if (!Object.hasOwn(item, name)) continue;
      if (isFull()) {
        kept.push([CUT, CUT]);
        break;
      }
      const member = (item as Readonly<Record<string, unknown>>)[name];
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
      const shown = shownName(name);
      bytesLeft -= shown.bytes + 2;
      const isNamed = named !== null && isValueMember(name) && !isOpenSetting(named, member);
      kept.push([shown.text, isNamed ? take(MASK, 10) : keepMember(name, member, kind, depth)]);
    }
    return Object.fromEntries(kept);
  }

  function keepMember(name: string, member: unknown, outer: 'mobile' | 'plain', depth: number): Json {
    const kind = kindOfName(name);
    if (kind === 'secret') return isOpenValue(name, member) ? keep(member, 'plain', depth + 1) : take(MASK, 10);
    if (isDigest(name, member)) return take(member, 66);
    return keep(member, kind === 'mobile' ? kind : outer, depth + 1);
  }

  function isFull(): boolean {
    entriesLeft -= 1;
    return entriesLeft < 0 || bytesLeft <= 0;
  }

  return keep(value, 'plain', 0);
}

/** Of a setting numbers are open, such as the length that a password must have. */
function isOpenSetting(named: 'secret' | 'setting', member: unknown): boolean {
  return member === null || typeof member === 'boolean' || (named === 'setting' && typeof member === 'number');
}

/** What tells which file it was; under any other name it would look like a secret. */
function isDigest(name: string, member: unknown): member is string {
  return name === 'sha256' && typeof member === 'string' && /^[0-9a-f]{64}$/.test(member);
}

/** What JSON writes as it is: printable ASCII but quotation marks and backslashes. */
const UNESCAPED = /^[ !#-[\]-~]*$/;

function bytesOf(text: string): number {
  return UNESCAPED.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

interface ShownName {
  readonly text: string;
  readonly bytes: number;
}

const NAMES_KEPT = 2000;
const shownNames = new Map<string, ShownName>();

/** A client can send any names: those kept are bounded, and the names of the service come first. */
function shownName(name: string): ShownName {
  const known = shownNames.get(name);
  if (known !== undefined) return known;
  const text = cleanText(maskText(name.slice(0, MAX_NAME_LENGTH)), MAX_NAME_LENGTH);
  const shown = { text, bytes: bytesOf(text) };
  if (shownNames.size < NAMES_KEPT && name.length <= 64) shownNames.set(name, shown);
  return shown;
}

/** What has no members that JSON could show: by what it is, and nothing of what is in it. */
function nameOfSpecial(item: object): string | null {
  if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return `[${item.byteLength} bytes]`;
  if (item instanceof Error) return `[${item.constructor.name}]`;
  if (item instanceof Map || item instanceof Set) return `[${item.constructor.name} of ${item.size}]`;
  return typeof (item as { pipe?: unknown }).pipe === 'function' ? '[stream]' : null;
}
