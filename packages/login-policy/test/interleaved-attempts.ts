import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { createInterleaving, type Fate, stepwise } from '../../../scripts/test-interleavings.js';
import type { createLoginAttempts } from '../src/index.js';
import { inTurn, outcome, TestClock } from './guesses.js';

/*
 * Sign-in attempts under a scheduler. Each attempt has a process of its own. Every call of the store is a step; it may
 * be refused, take effect without an answer or take effect late, a process may die while it verifies a password, an
 * account may be cleared, and half a window may pass. Requirement REL-13.
 */

/** What the verification finds. `throws`: it can't say. `dies`: the process ends during it. */
export type Finding = 'wrong' | 'right' | 'throws' | 'dies';

interface Attempt {
  readonly kind: 'attempt';
  readonly finding: Finding;
  readonly clientIp: string;
  /** How long the verification takes, in turns of the scheduler. */
  readonly turnsOfWork: number;
  readonly fates: readonly Fate[];
}

/** `clear`: an administrator clears the account. `wait`: half a window passes. */
type Event = Attempt | { readonly kind: 'clear' } | { readonly kind: 'wait' };

export type Rounds = readonly (readonly Event[])[];

/** The window and the lock are as long, so that a lock of an early attempt can end. */
const WINDOW_SECONDS = 600;

const policy = {
  failureWindowSeconds: WINDOW_SECONDS,
  failureCount: 3,
  lockSeconds: WINDOW_SECONDS,
  failureIncludeIpEnabled: true,
  accountFailureCount: 4,
  ipFailureCount: 5,
};

const ADDRESSES = ['192.0.2.1', '192.0.2.2'];
const USERNAME = 'ada';

/**
 * Rounds of concurrent events. A third is of wrong guesses and failing verifications alone, where every count has to be
 * exact; in a third passwords are right and accounts are cleared; a third is of everything.
 */
export function drawRounds(): fc.Arbitrary<Rounds> {
  const attempt = (findings: readonly Finding[], fates: fc.Arbitrary<readonly Fate[]>, addresses = ADDRESSES) =>
    fc.record<Attempt>({
      kind: fc.constant('attempt'),
      finding: fc.constantFrom(...findings),
      clientIp: fc.constantFrom(...addresses),
      turnsOfWork: fc.nat(3),
      fates,
    });
  const none = fc.constant([]);
  const faulty = fc.array(fc.constantFrom<Fate>('done', 'done', 'refused', 'unheard', 'late'), { maxLength: 14 });
  const clear = fc.constant({ kind: 'clear' } as const);
  const wait = fc.constant({ kind: 'wait' } as const);
  const wrongOnly: fc.Arbitrary<Event> = attempt(['wrong', 'wrong', 'throws'], none);
  const reset = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    { weight: 19, arbitrary: attempt(['wrong', 'wrong', 'right'], none, ADDRESSES.slice(0, 1)) },
    { weight: 1, arbitrary: clear },
  );
  const wild = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    { weight: 12, arbitrary: attempt(['wrong', 'wrong', 'wrong', 'right', 'throws', 'dies'], fc.oneof(none, faulty)) },
    { weight: 1, arbitrary: clear },
    { weight: 2, arbitrary: wait },
  );
  const roundsOf = (event: fc.Arbitrary<Event>) =>
    fc.array(fc.array(event, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 3 });
  return fc.oneof(roundsOf(wrongOnly), roundsOf(reset), roundsOf(wild));
}

/** The sources under test: the real ones, or copies with a seeded fault. */
export interface Sources {
  readonly createLoginAttempts: typeof createLoginAttempts;
}

/** Drives one account through the rounds, and throws for what must never be. */
export async function driveAccount(sources: Sources, scheduler: fc.Scheduler, rounds: Rounds): Promise<void> {
  const clock = new TestClock();
  const store: TtlStore = createMemoryStore({ now: clock.now });
  const faults: string[] = [];
  /** Guesses that were let through and not released: wrong ones, and those whose process died. */
  const guesses = new Map<string, number>();
  /** What lets new guesses through beside those of the first window. */
  let successes = 0;
  let clears = 0;
  let waits = 0;
  let isLocked = false;
  const { turn, startProcess, becomeQuiet, release } = createInterleaving(scheduler, () => new StoreUnavailableError());

  const open = (fates: readonly Fate[]) => {
    const { step, die } = startProcess(fates);
    const engine = sources.createLoginAttempts({
      store: stepwise(store, step),
      now: clock.now,
      policy,
      onEvent: ({ type, ...event }) => {
        if (type === 'locked' && 'counter' in event && event.counter === 'subject') isLocked = true;
      },
    });
    return { engine, die };
  };

  const count = (counter: string, by: number) => guesses.set(counter, (guesses.get(counter) ?? 0) + by);

  /** A window of each wait is over, at the latest, for what was counted before it. */
  function checkLimits(clientIp: string): void {
    const eras = 1 + clears + waits;
    const limits = [
      [clientIp, policy.failureCount * (eras + successes)],
      ['account', policy.accountFailureCount * eras],
      [`all of ${clientIp}`, policy.ipFailureCount * (1 + waits)],
    ] as const;
    for (const [counter, limit] of limits) {
      const found = guesses.get(counter) ?? 0;
      if (found > limit) faults.push(`${found} guesses of ${limit} were let through, by ${counter}`);
    }
  }

  async function guess({ finding, clientIp, turnsOfWork, fates }: Attempt): Promise<void> {
    const { engine, die } = open(fates);
    const cameAfterLock = isLocked;
    await outcome(engine, { username: USERNAME, clientIp }, async () => {
      const counters = [clientIp, 'account', `all of ${clientIp}`];
      for (const counter of counters) count(counter, 1);
      const isUnlocked = clears + waits > 0 || addresses.size > 1;
      if (cameAfterLock && isCalm && !isUnlocked) faults.push('a guess was let through after the lock');
      checkLimits(clientIp);
      for (let work = 0; work < turnsOfWork; work += 1) await turn();
      if (finding === 'dies') return die();
      if (finding !== 'wrong') for (const counter of counters) count(counter, -1);
      if (finding === 'throws') throw new Error('The verification failed');
      if (finding !== 'right') return null;
      successes += 1;
      return { id: 'u-1' };
    });
  }

  async function happen(event: Event): Promise<void> {
    if (event.kind === 'attempt') return guess(event);
    await turn();
    if (event.kind === 'clear') {
      clears += 1;
      return open([]).engine.clear({ username: USERNAME });
    }
    waits += 1;
    clock.advance(WINDOW_SECONDS / 2);
  }

  const attempts = rounds.flat().filter((event) => event.kind === 'attempt');
  const isCalm = attempts.every(({ finding, fates }) => finding !== 'dies' && fates.length === 0);
  const addresses = new Set(attempts.map(({ clientIp }) => clientIp));
  for (const round of rounds) {
    for (const event of round) void happen(event).catch((error) => faults.push(String(error)));
    await becomeQuiet();
  }
  await release();

  // The counts are right: nothing is in flight any more, and every guess is counted once.
  const { engine } = open([]);
  if (isCalm && waits === 0) {
    for (const clientIp of addresses) {
      const { counters } = await engine.explain({ username: USERNAME, clientIp });
      for (const report of counters) {
        if (report.state !== 'counting') continue;
        if (report.inFlight !== 0) faults.push(`${report.inFlight} in flight at the end, by ${report.counter}`);
        const counter = { subject: clientIp, account: 'account', ip: `all of ${clientIp}` }[report.counter];
        const isExact = clears === 0 && (successes === 0 || report.counter !== 'subject');
        if (isExact && report.failures !== (guesses.get(counter) ?? 0)) {
          faults.push(`${report.failures} failures of ${guesses.get(counter)} are counted, by ${report.counter}`);
        }
      }
    }
  }

  // No place is lost for ever: when every window and lock has ended, as many guesses as the limit are let through.
  clock.advance(2 * WINDOW_SECONDS);
  const later = await inTurn(engine, policy.failureCount + 1, { username: USERNAME, clientIp: ADDRESSES[0] as string });
  const expected = [...Array.from({ length: policy.failureCount }, () => 'failed'), 'LOGIN_LOCKED'];
  if (later.join() !== expected.join()) faults.push(`later guesses were ${later.join(', ')}`);
  if (faults.length > 0) throw new Error(faults.join('; '));
}
