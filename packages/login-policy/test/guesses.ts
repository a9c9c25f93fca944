import { type Change, createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import {
  type AttemptOptions,
  createLoginAttempts,
  type LoginAttempts,
  LoginLockedError,
  type LoginPolicyOptions,
} from '../src/index.js';

/** A clock that tests move. */
export class TestClock {
  millis = Date.UTC(2026, 10, 21, 12);
  readonly now = (): number => this.millis;
  advance(seconds: number): void {
    this.millis += seconds * 1000;
  }
}

export interface Guess {
  readonly username?: string;
  readonly terminal?: string;
  readonly clientIp?: string;
  readonly deviceToken?: string;
}

export const WRONG = async () => null;
export const RIGHT = async () => ({ id: 'u-1' });

/** `in`, `failed`, or the code of the refusal. */
export async function outcome(
  engine: Pick<LoginAttempts, 'attempt'>,
  { username = 'ada', terminal = 'web', clientIp = '192.0.2.7', deviceToken }: Guess = {},
  verify: () => Promise<unknown> = WRONG,
  options: AttemptOptions<unknown> = {},
): Promise<string> {
  try {
    const subject = { username, terminal, clientIp, deviceToken };
    return (await engine.attempt(subject, verify, options)) === null ? 'failed' : 'in';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** The outcomes of guesses in sequence. */
export async function inTurn(
  engine: Pick<LoginAttempts, 'attempt'>,
  count: number,
  guess: Guess | ((index: number) => Guess) = {},
  verify: () => Promise<unknown> = WRONG,
): Promise<string[]> {
  const outcomes: string[] = [];
  for (let index = 0; index < count; index++) {
    outcomes.push(await outcome(engine, typeof guess === 'function' ? guess(index) : guess, verify));
  }
  return outcomes;
}

/** How often each outcome occurs. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of outcomes) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The `retryAfterSeconds` of a refused attempt; 0 if it isn't refused. */
export async function retryAfter(engine: LoginAttempts, guess: Guess = {}): Promise<number> {
  const { username = 'ada', terminal = 'web', clientIp = '192.0.2.7' } = guess;
  const error = await engine.attempt({ username, terminal, clientIp }, WRONG).catch((reason: unknown) => reason);
  return error instanceof LoginLockedError ? error.retryAfterSeconds : 0;
}

/** A memory store. Without `changeAll` it is as that of a Cluster, or of PostgreSQL. */
export function createTestStore(clock: TestClock, hasChangeAll = true): TtlStore {
  const { changeAll, ...store } = createMemoryStore({ now: clock.now });
  return hasChangeAll && changeAll !== undefined ? { ...store, changeAll } : store;
}

/** An engine on a memory store, both with one clock that the test moves. */
export function createTestEngine(options: Partial<LoginPolicyOptions> = {}, hasChangeAll = true) {
  const clock = new TestClock();
  const store = createTestStore(clock, hasChangeAll);
  const engine = createLoginAttempts({ store, now: clock.now, ...options });
  return { engine, clock, store };
}

/** Records every call of the store from now on: the method and the key, or the keys of `changeAll` with blanks. */
export function recordCalls(store: TtlStore): { readonly verb: string; readonly key: string }[] {
  const calls: { verb: string; key: string }[] = [];
  for (const [verb, original] of Object.entries(store)) {
    if (typeof original !== 'function') continue;
    const recording = (key: string | readonly Change[], ...rest: unknown[]): unknown => {
      calls.push({ verb, key: typeof key === 'string' ? key : key.map((change) => change.key).join(' ') });
      return Reflect.apply(original, store, [key, ...rest]);
    };
    Object.assign(store, { [verb]: recording });
  }
  return calls;
}

/** A promise and the function that fulfils it. */
export function gate<T>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}
