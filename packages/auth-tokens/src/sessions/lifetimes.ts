import { group, option, wholeNumber } from '@sallyport/plugin-kit/options';
import type { Audience } from '../declared-names.js';
import { failClosed, LifetimeUnavailableError } from '../errors.js';
import { AUDIENCE } from './session-id.js';
import type { LifetimeMillis } from './session-state.js';

/** The lifetimes of the sessions of an audience. */
export interface AudienceLifetime {
  /** The time without a request after which a session expires, in seconds, 60 to 31 536 000. */
  readonly idleSeconds: number;
  /**
   * The age at which a session expires in any case, in seconds, 60 to 31 536 000. A longer value applies to new
   * sessions only, a shorter one to all sessions.
   */
  readonly absoluteSeconds: number;
}

/** The lifetimes of every audience. */
export type Lifetimes = Readonly<Record<Audience, AudienceLifetime>>;

/**
 * One minute. Below it, the interval between two writes of activity and the allowed error of a clock would decide when
 * a session ends.
 */
const MIN_LIFETIME_SECONDS = 60;

/** One year. This is within the longest TTL of every store, and longer than any session should live. */
export const MAX_LIFETIME_SECONDS = 365 * 24 * 3600;

/** The lifetime of an audience's sessions at this moment. Not a promise if the value is available at once. */
export type LifetimeReader = (audience: string) => LifetimeMillis | Promise<LifetimeMillis>;

/** @param ask called once for each check. If it fails or returns a bad value, the reader throws or rejects with 503. */
export function createLifetimeReader(ask: () => Lifetimes | Promise<Lifetimes>): LifetimeReader {
  return function readLifetime(audience) {
    let lifetimes: Lifetimes | PromiseLike<Lifetimes>;
    try {
      lifetimes = ask();
    } catch (cause) {
      throw new LifetimeUnavailableError({ cause });
    }
    return isPromiseLike(lifetimes) ? settle(lifetimes, audience) : lifetimeOf(lifetimes, audience);
  };
}

/** Asks once for each audience, so that one page of sessions is judged by one value. */
export function onceForAudience(readLifetime: LifetimeReader): LifetimeReader {
  const known = new Map<string, ReturnType<LifetimeReader>>();
  return function readOnce(audience) {
    const lifetime = known.get(audience) ?? readLifetime(audience);
    known.set(audience, lifetime);
    return lifetime;
  };
}

async function settle(lifetimes: PromiseLike<Lifetimes>, audience: string): Promise<LifetimeMillis> {
  return lifetimeOf(await failClosed(async () => lifetimes, LifetimeUnavailableError), audience);
}

function lifetimeOf(lifetimes: unknown, audience: string): LifetimeMillis {
  const lifetime = (lifetimes as Record<string, Partial<AudienceLifetime> | undefined> | null | undefined)?.[audience];
  const { idleSeconds, absoluteSeconds } = lifetime ?? {};
  if (isLifetimeSeconds(idleSeconds) && isLifetimeSeconds(absoluteSeconds)) {
    return { idle: idleSeconds * 1000, absolute: absoluteSeconds * 1000 };
  }
  const expected = `idleSeconds and absoluteSeconds from ${MIN_LIFETIME_SECONDS} to ${MAX_LIFETIME_SECONDS}`;
  throw new LifetimeUnavailableError({ cause: new TypeError(`lifetimes must return ${expected} for '${audience}'`) });
}

/** Only numbers are accepted. Other libraries read texts such as `1 month` or `1,5h` as "no expiry". */
function isLifetimeSeconds(value: unknown): value is number {
  if (typeof value !== 'number' || !Number.isInteger(value)) return false;
  return value >= MIN_LIFETIME_SECONDS && value <= MAX_LIFETIME_SECONDS;
}

function isPromiseLike<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as PromiseLike<Value> | null | undefined)?.then === 'function';
}

const seconds = wholeNumber({ min: MIN_LIFETIME_SECONDS, max: MAX_LIFETIME_SECONDS, unit: 'seconds' });
const lifetimeRule = group<AudienceLifetime>({ idleSeconds: seconds, absoluteSeconds: seconds });

export const audiencesRule = option<Readonly<Record<string, AudienceLifetime>>>({
  meaning: 'an object that names at least one audience',
  accepts: (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
  faults: (audiences: object, name) =>
    Object.entries(audiences).flatMap(([audience, lifetime]) => audienceFaults(name, audience, lifetime)),
  read: (audiences: object) =>
    Object.fromEntries(Object.entries(audiences).map(([audience, it]) => [audience, lifetimeRule.read(it)])),
  default: {
    admin: { idleSeconds: 30 * 60, absoluteSeconds: 12 * 3600 },
    app: { idleSeconds: 7 * 24 * 3600, absoluteSeconds: 30 * 24 * 3600 },
  },
});

function audienceFaults(option: string, audience: string, lifetime: unknown): readonly string[] {
  const name = `${option}.${audience}`;
  const nameFaults =
    AUDIENCE.test(audience) && audience !== 'public'
      ? []
      : [`${name} is not the name of an audience: 1 to 32 of A-Z a-z 0-9 _ -, a letter first, and not 'public'`];
  const faults = lifetimeRule.faults(lifetime, name);
  if (faults.length > 0) return [...nameFaults, ...faults];
  const { idleSeconds, absoluteSeconds } = lifetime as AudienceLifetime;
  return idleSeconds > absoluteSeconds
    ? [...nameFaults, `${name}.idleSeconds must not exceed absoluteSeconds`]
    : nameFaults;
}
