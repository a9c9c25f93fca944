import { group, type OptionRule, wholeNumber } from '@sallyport/plugin-kit/options';
import {
  isFieldName,
  isOpenValue,
  isSessionId,
  isValueMember,
  kindOfName,
  rolesOf,
  secretNamedIn,
} from './sensitive-names.js';
import { cleanText } from './texts/clean-text.js';
import { NO_VARIABLES, variablesIn } from './texts/graphql-variables.js';
import { maskText, storedText } from './texts/mask-text.js';
import { maskMobile } from './texts/mobile-numbers.js';
import { MASK } from './texts/spans.js';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The limits of the kept part of a value. Each limit is 1 to 1 000 000. */
export interface MaskLimits {
  /** Levels of nested objects and lists. Default 8. */
  readonly maxDepth?: number;
  /** Members and items in total. Default 500. */
  readonly maxEntries?: number;
  /** Length of one text, in UTF-16 units. Default 1000. */
  readonly maxTextLength?: number;
  /** Size of the whole value as JSON, in bytes of UTF-8. Default 16 384. */
  readonly maxBytes?: number;
}

export const MASK_LIMITS = {
  maxDepth: 8,
  maxEntries: 500,
  maxTextLength: 1000,
  maxBytes: 16_384,
} as const satisfies Required<MaskLimits>;

const MAX_LIMIT = 1_000_000;

const limitRule = (unit: string, byDefault: number) =>
  wholeNumber({ min: 1, max: MAX_LIMIT, unit, default: byDefault });

/** The rule of an option that takes such limits. */
export const maskLimitsRule: OptionRule<Required<MaskLimits>> = group<Required<MaskLimits>>({
  maxDepth: limitRule('levels', MASK_LIMITS.maxDepth),
  maxEntries: limitRule('entries', MASK_LIMITS.maxEntries),
  maxTextLength: limitRule('characters', MASK_LIMITS.maxTextLength),
  maxBytes: limitRule('bytes', MASK_LIMITS.maxBytes),
});

/** Replaces a part that was left out because of its size, and ends a text that was cut. */
const CUT = '[cut]';

/**
 * The text that is read of a value, as a multiple of what may be kept of it. Masking may leave little of a text, so the
 * kept size alone bounds no time.
 */
const READ_FACTOR = 4;

const MAX_NAME_LENGTH = 128;

/** Masking and cutting leave a shorter name unchanged, or produce a name of the same kind. */
const MAX_PLAIN_NAME_LENGTH = 64;

/** Segments that are joined by colons, or everything. */
const PERMISSION = /^(?:\*|[\w.-]{1,40}(?::[\w.-]{1,40}){1,8}(?::\*)?)$/;

/** Whether the first of them, such as `api:users:reset-password`, is no name of a secret. */
function isPermissions(items: readonly unknown[]): boolean {
  return items.every((item) => typeof item === 'string' && PERMISSION.test(item));
}

/** The digits of a number, and the characters that people write between them. */
const MAX_MOBILE_LENGTH = 1000;

/** A text as it is stored. One that is cut says so at its end, so that nobody takes it for the whole. */
function keptText(text: string, maxLength: number): string {
  const kept = storedText(text, maxLength);
  // Most texts are kept as they are. Masking and cleaning make a character ten at most.
  if (kept === text || text.length * 10 <= maxLength || storedText(text, maxLength * 4).length <= maxLength)
    return kept;
  const marked = storedText(text, Math.max(0, maxLength - CUT.length)) + CUT;
  return storedText(marked, maxLength) === marked ? marked : CUT;
}

/**
 * A copy as JSON that is safe to store: secrets are masked by the names of their members and by their form, mobile
 * numbers are kept in part, texts are clean, and the size is bounded. It never throws: cycles, getters that throw and
 * values without JSON are replaced by a description.
 *
 * @example
 * ```ts
 * const canary = randomBytes(32).toString('hex');
 * const wrapped = { query: `?a=1&token=${canary}`, body: JSON.stringify({ deep: [{ apiKey: canary }] }) };
 * assert.equal(JSON.stringify(maskSensitive(wrapped)).includes(canary), false);
 * ```
 */
export function maskSensitive(value: unknown, limits: MaskLimits = {}): Json {
  const {
    maxDepth = MASK_LIMITS.maxDepth,
    maxEntries = MASK_LIMITS.maxEntries,
    maxTextLength = MASK_LIMITS.maxTextLength,
    maxBytes = MASK_LIMITS.maxBytes,
  } = limits;
  const ancestors = new Set<object>();
  let entriesLeft = maxEntries;
  let bytesLeft = maxBytes;
  let unitsLeft = maxBytes * READ_FACTOR;
  /** The variables of GraphQL that hold a secret, within their object. */
  let variables = NO_VARIABLES;

  function take<Kept extends Json>(kept: Kept, bytes: number): Kept | typeof CUT {
    bytesLeft -= bytes;
    return bytesLeft >= 0 ? kept : CUT;
  }

  function keepText(text: string, kind: 'mobile' | 'plain' = 'plain'): Json {
    unitsLeft -= Math.min(text.length, maxTextLength * READ_FACTOR);
    const kept =
      kind === 'mobile'
        ? cleanText(maskMobile(text.slice(0, MAX_MOBILE_LENGTH)), maxTextLength)
        : keptText(text, maxTextLength);
    return take(kept, bytesOf(kept));
  }

  function keep(item: unknown, kind: 'mobile' | 'plain', depth: number): Json {
    switch (typeof item) {
      case 'string':
        return keepText(item, kind);
      case 'number':
        return keepNumber(item, kind);
      case 'bigint':
        return keepText(String(item), kind);
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
    return masked === text ? take(number, text.length) : take(masked, bytesOf(masked));
  }

  function keepObject(item: object, kind: 'mobile' | 'plain', depth: number): Json {
    const named = nameOfSpecial(item);
    if (named !== null) return keepText(named);
    if (ancestors.has(item)) return take('[cycle]', 9);
    if (depth >= maxDepth) return take(CUT, 7);
    ancestors.add(item);
    const outer = variables;
    try {
      const { toJSON } = item as { toJSON?: unknown };
      if (typeof toJSON === 'function') return keep(toJSON.call(item, ''), kind, depth + 1);
      return Array.isArray(item) ? keepList(item, kind, depth) : keepMembers(item, kind, depth);
    } catch {
      return take('[unreadable]', 14);
    } finally {
      variables = outer;
      ancestors.delete(item);
    }
  }

  function keepList(items: readonly unknown[], kind: 'mobile' | 'plain', depth: number): Json {
    const [name] = items;
    // An entry of a list of entries: `['password', '…']`.
    if (items.length === 2 && typeof name === 'string' && !isPermissions(items) && isSecretText(name))
      return [keepText(name, kind), take(MASK, 10)];
    const kept: Json[] = [];
    // A flat list of names and values, such as `rawHeaders`. The value after a sensitive name is secret.
    let isNamed = false;
    for (const item of items) {
      if (isFull()) return [...kept, CUT];
      const isSecret = isNamed && item !== null && item !== undefined && typeof item !== 'boolean';
      kept.push(isSecret ? take(MASK, 10) : keep(item, kind, depth + 1));
      isNamed = typeof item === 'string' && isFieldName(item) && kindOfName(item) === 'secret';
    }
    return kept;
  }

  /** Whether a text next to a value is a sensitive name. A long text is also judged in its kept form. */
  function isSecretText(name: string): boolean {
    if (kindOfName(name) === 'secret') return true;
    return name.length > MAX_PLAIN_NAME_LENGTH && kindOfName(storedText(name, maxTextLength)) === 'secret';
  }

  function keepMembers(item: object, kind: 'mobile' | 'plain', depth: number): Json {
    const kept: [string, Json][] = [];
    const outer = variables;
    const own = variablesIn(item) ?? outer;
    const named = secretNamedIn(item, entriesLeft, isSecretText);
    for (const name in item) {
      if (!Object.hasOwn(item, name)) continue;
      if (isFull()) {
        kept.push([CUT, CUT]);
        break;
      }
      const member = (item as Readonly<Record<string, unknown>>)[name];
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
      unitsLeft -= name.length;
      const shown = shownName(name);
      bytesLeft -= shown.bytes + 2;
      const isNamed = named !== null && isValueMember(name) && !isOpenSetting(named, member);
      variables = name === 'variables' ? own : outer;
      kept.push([shown.text, isNamed ? take(MASK, 10) : keepMember(name, member, kind, depth)]);
    }
    return Object.fromEntries(kept);
  }

  function keepMember(name: string, member: unknown, outer: 'mobile' | 'plain', depth: number): Json {
    const roles = rolesOf(name);
    const kind = variables !== NO_VARIABLES && variables.has(name) ? 'secret' : roles.kind;
    if (kind === 'secret') return isOpenValue(name, member) ? keep(member, 'plain', depth + 1) : take(MASK, 10);
    if (isDigest(name, member)) return take(member, 66);
    if (roles.isSession && typeof member === 'string' && isSessionId(member)) return take(MASK, 10);
    return keep(member, kind === 'mobile' ? kind : outer, depth + 1);
  }

  function isFull(): boolean {
    entriesLeft -= 1;
    return entriesLeft < 0 || bytesLeft <= 0 || unitsLeft <= 0;
  }

  return keep(value, 'plain', 0);
}

/** The numbers of a setting, such as the minimum length of a password, are not secret. */
function isOpenSetting(named: 'secret' | 'setting', member: unknown): boolean {
  return member === null || typeof member === 'boolean' || (named === 'setting' && typeof member === 'number');
}

/** The digest of a file. Under any other name, 64 hexadecimal digits look like a secret. */
function isDigest(name: string, member: unknown): member is string {
  return name === 'sha256' && typeof member === 'string' && /^[0-9a-f]{64}$/.test(member);
}

/** Texts that JSON writes unchanged: printable ASCII without quotation marks and backslashes. */
const UNESCAPED = /^[ !#-[\]-~]*$/;

function bytesOf(text: string): number {
  return UNESCAPED.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}

interface ShownName {
  readonly text: string;
  readonly bytes: number;
}

/**
 * The maximum number of names whose form is remembered. A client can send any names. The names of the service come
 * first and stay.
 */
const MAX_REMEMBERED_NAMES = 2000;
const MAX_REMEMBERED_LENGTH = 64;
const shownNames = new Map<string, ShownName>();

function shownName(name: string): ShownName {
  const known = shownNames.get(name);
  if (known !== undefined) return known;
  const text = storedText(name, MAX_NAME_LENGTH);
  const shown = { text, bytes: bytesOf(text) };
  if (shownNames.size < MAX_REMEMBERED_NAMES && name.length <= MAX_REMEMBERED_LENGTH) shownNames.set(name, shown);
  return shown;
}

/** A description of an object that JSON can't show, without its content. Null for other objects. */
function nameOfSpecial(item: object): string | null {
  if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) return `[${item.byteLength} bytes]`;
  if (item instanceof Error) return `[${item.constructor.name}]`;
  if (item instanceof Map || item instanceof Set) return `[${item.constructor.name} of ${item.size}]`;
  return typeof (item as { pipe?: unknown }).pipe === 'function' ? '[stream]' : null;
}
