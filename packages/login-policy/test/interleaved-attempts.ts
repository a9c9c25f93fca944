import { StoreUnavailableError } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { createInterleaving, type Fate, stepwise } from '../../../scripts/test-interleavings.js';
import type { createLoginAttempts } from '../src/index.js';
import { createTestStore, inTurn, outcome, TestClock } from './guesses.js';

/*
 * Sign-in attempts under a scheduler. Each attempt has a process of its own. Every call of the store is a step; it may
 * be refused, take effect without an answer or take effect late, a process may die while it verifies a password, an
 * account may be cleared, and a minute or half a window may pass. Attempts may come with the token of a known device
 * (LGN-12), or without the captcha that a precheck asks for (LGN-13). Requirement REL-13.
 */

/**
 * What the verification finds. `refused`: it rejects with 401. `unclear`: it rejects with 503. `irrelevant`: it rejects
 * for a reason that isn't the password. `dies`: the process ends during it.
 */
export type Finding = 'wrong' | 'right' | 'refused' | 'unclear' | 'irrelevant' | 'dies';

type Captcha = 'unasked' | 'right' | 'missing';

interface Attempt {
  readonly kind: 'attempt';
  readonly finding: Finding;
  readonly clientIp: string;
  /** Whether it comes from the known device. */
  readonly isFromDevice: boolean;
  /** What its precheck finds; `unasked`: it has none. */
  readonly captcha: Captcha;
  /** How long the verification takes, in turns of the scheduler. */
  readonly turnsOfWork: number;
  readonly fates: readonly Fate[];
}

/** `clear`: an administrator clears the account. `wait`: time passes. */
type Event = Attempt | { readonly kind: 'clear' } | { readonly kind: 'wait'; readonly seconds: number };

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

/** How long the place of an unclear attempt stays taken: ADP-6. */
const KEPT_SECONDS = 60;

const ADDRESSES = ['192.0.2.1', '192.0.2.2'];

/** So many that the limits of their subjects let more guesses through than account and device together. */
const MANY_ADDRESSES = [...ADDRESSES, '192.0.2.3', '192.0.2.4', '192.0.2.5'];

/** Guesses with one device token in a window: LGN-12. */
const DEVICE_FAILURES = 5;
const USERNAME = 'ada';

const EVERYTHING: readonly Finding[] = [
  ...['wrong', 'wrong', 'wrong', 'right', 'refused', 'unclear', 'irrelevant', 'dies'],
] as Finding[];

/**
 * Rounds of concurrent events, of six kinds. Wrong guesses and broken verifications alone: every count has to be
 * exact. Mostly broken verifications, while minutes pass. Right passwords and clears. Attempts from the known device,
 * from many addresses. Attempts that lack their captcha. Everything, in three rounds of eight.
 */
export function drawRounds(): fc.Arbitrary<Rounds> {
  interface Kind {
    readonly addresses?: readonly string[];
    readonly isFromDevice?: fc.Arbitrary<boolean>;
    readonly captcha?: fc.Arbitrary<Captcha>;
  }
  const never = fc.constant(false);
  const sometimes = fc.nat(9).map((n) => n === 0);
  const mostly = fc.nat(9).map((n) => n > 1);
  const attempt = (
    findings: readonly Finding[],
    fates: fc.Arbitrary<readonly Fate[]>,
    { addresses = ADDRESSES, isFromDevice = never, captcha = fc.constant('unasked') }: Kind = {},
  ) =>
    fc.record<Attempt>({
      kind: fc.constant('attempt'),
      finding: fc.constantFrom(...findings),
      clientIp: fc.constantFrom(...addresses),
      isFromDevice,
      captcha,
      turnsOfWork: fc.nat(3),
      fates,
    });
  const none = fc.constant([]);
  const faulty = fc.array(fc.constantFrom<Fate>('done', 'done', 'refused', 'unheard', 'late'), { maxLength: 14 });
  const clear = fc.constant({ kind: 'clear' } as const);
  const wait = fc.constantFrom<Event>(
    { kind: 'wait', seconds: WINDOW_SECONDS / 2 },
    { kind: 'wait', seconds: KEPT_SECONDS },
  );
  const minute = fc.constant<Event>({ kind: 'wait', seconds: KEPT_SECONDS });
  const wrongOnly: fc.Arbitrary<Event> = attempt(['wrong', 'wrong', 'refused', 'unclear', 'irrelevant'], none);
  const unclear = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    { weight: 9, arbitrary: attempt(['unclear', 'unclear', 'wrong'], none) },
    { weight: 1, arbitrary: minute },
  );
  const reset = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    { weight: 19, arbitrary: attempt(['wrong', 'wrong', 'right'], none, { addresses: ADDRESSES.slice(0, 1) }) },
    { weight: 1, arbitrary: clear },
  );
  const fromDevice: fc.Arbitrary<Event> = attempt(['wrong'], none, {
    addresses: MANY_ADDRESSES,
    isFromDevice: mostly,
  });
  const withoutCaptcha: fc.Arbitrary<Event> = attempt(['wrong', 'right'], none, {
    addresses: ADDRESSES.slice(0, 1),
    captcha: fc.constantFrom<Captcha>('right', 'missing', 'missing', 'missing'),
  });
  const wild = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    {
      weight: 12,
      arbitrary: attempt(EVERYTHING, fc.oneof(none, faulty), {
        isFromDevice: sometimes,
        captcha: fc.oneof(
          { weight: 9, arbitrary: fc.constant<Captcha>('unasked') },
          fc.constantFrom<Captcha>('right', 'missing'),
        ),
      }),
    },
    { weight: 1, arbitrary: clear },
    { weight: 2, arbitrary: wait },
  );
  const roundsOf = (event: fc.Arbitrary<Event>) =>
    fc.array(fc.array(event, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 3 });
  const kinds = [wrongOnly, unclear, reset, fromDevice, withoutCaptcha];
  return fc.oneof(...kinds.map(roundsOf), { weight: 3, arbitrary: roundsOf(wild) });
}

/** The sources under test: the real ones, or copies with a seeded fault. */
export interface Sources {
  readonly createLoginAttempts: typeof createLoginAttempts;
}

class IrrelevantError extends Error {}

class CaptchaError extends Error {
  readonly code = 'CAPTCHA';
  readonly statusCode = 400;
}

/** Drives one account through the rounds, and throws for what must never be. */
export async function driveAccount(
  sources: Sources,
  scheduler: fc.Scheduler,
  rounds: Rounds,
  hasChangeAll: boolean,
): Promise<void> {
  const clock = new TestClock();
  const store = createTestStore(clock, hasChangeAll);
  const faults: string[] = [];
  /** Guesses that were let through and not given back: wrong ones, unclear ones, and those whose process died. */
  const guesses = new Map<string, number>();
  /** Those of them that are given back in time. */
  let unclear: { readonly counters: readonly string[]; readonly until: number }[] = [];
  /** What lets new guesses through beside those of the first window. */
  let successes = 0;
  let clears = 0;
  let seconds = 0;
  let isLocked = false;
  /** The attempts that began when a lock of their subject had begun. */
  const afterLock = new Set<Attempt>();
  const { turn, startProcess, becomeQuiet, release } = createInterleaving(scheduler, () => new StoreUnavailableError());

  const open = (fates: readonly Fate[]) => {
    const { step, die } = startProcess(fates);
    const engine = sources.createLoginAttempts({
      store: stepwise(store, step),
      now: clock.now,
      policy,
      isFailure: ({ error }) => (error instanceof IrrelevantError ? false : undefined),
      onEvent: ({ type, ...event }) => {
        if (type === 'locked' && 'counter' in event && event.counter === 'subject') isLocked = true;
      },
    });
    return { engine, die };
  };

  const count = (counter: string, by: number) => guesses.set(counter, (guesses.get(counter) ?? 0) + by);

  function giveBack(): void {
    for (const { counters, until } of unclear) {
      if (until <= clock.millis) for (const counter of counters) count(counter, -1);
    }
    unclear = unclear.filter(({ until }) => until > clock.millis);
  }

  /** Windows and locks are as long as each other, and follow each other. */
  function checkLimits(clientIp: string): void {
    giveBack();
    const windows = 1 + Math.floor(seconds / WINDOW_SECONDS);
    const eras = windows + clears;
    const limits = [
      [clientIp, policy.failureCount * (eras + successes)],
      ['account', policy.accountFailureCount * eras],
      [`all of ${clientIp}`, policy.ipFailureCount * windows],
      ['account and device', policy.accountFailureCount * eras + DEVICE_FAILURES * (eras + successes)],
    ] as const;
    for (const [counter, limit] of limits) {
      const found = guesses.get(counter) ?? 0;
      if (found > limit) faults.push(`${found} guesses of ${limit} were let through, by ${counter}`);
    }
  }

  async function guess(attempt: Attempt): Promise<void> {
    const { clientIp, isFromDevice, captcha, turnsOfWork, fates } = attempt;
    const { engine, die } = open(fates);
    async function precheck(): Promise<void> {
      for (let work = 0; work < turnsOfWork; work += 1) await turn();
      if (captcha === 'missing') throw new CaptchaError();
    }
    const from = { username: USERNAME, clientIp, ...(isFromDevice && { deviceToken }) };
    const options = captcha === 'unasked' ? {} : { precheck };
    const found = await outcome(engine, from, () => verify(attempt, die), options);
    const isFirst = attempts.filter((each) => each.captcha !== 'missing').length <= policy.failureCount;
    if (found === 'LOGIN_LOCKED' && isCalm && isFirst && captcha !== 'missing') {
      faults.push('a guess was refused although others without a captcha take no places');
    }
  }

  async function verify(attempt: Attempt, die: () => Promise<never>): Promise<unknown> {
    const { finding, clientIp, isFromDevice, captcha, turnsOfWork } = attempt;
    if (captcha === 'missing') faults.push('a guess was let through without its captcha');
    const wide = ['account', `all of ${clientIp}`];
    const counters = [clientIp, 'account and device', ...(isFromDevice ? [] : wide)];
    const cameAfterLock = afterLock.has(attempt);
    for (const counter of counters) count(counter, 1);
    const isUnlocked = clears + seconds > 0 || addresses.size > 1;
    if (cameAfterLock && isCalm && !isUnlocked) faults.push('a guess was let through after the lock');
    checkLimits(clientIp);
    for (let work = 0; work < turnsOfWork; work += 1) await turn();
    if (finding === 'dies') return die();
    if (finding === 'refused') throw Object.assign(new Error('Wrong password'), { statusCode: 401 });
    if (finding === 'unclear') {
      unclear.push({ counters, until: clock.millis + KEPT_SECONDS * 1000 });
      throw Object.assign(new Error('The database is away'), { statusCode: 503 });
    }
    if (finding === 'wrong') return null;
    for (const counter of counters) count(counter, -1);
    if (finding === 'irrelevant') throw new IrrelevantError('The captcha is wrong');
    successes += 1;
    return { id: 'u-1' };
  }

  async function happen(event: Event): Promise<void> {
    if (event.kind === 'attempt') {
      if (isLocked) afterLock.add(event);
      return guess(event);
    }
    await turn();
    if (event.kind === 'clear') {
      clears += 1;
      return void (await open([]).engine.clear({ username: USERNAME }));
    }
    seconds += event.seconds;
    clock.advance(event.seconds);
  }

  const attempts = rounds.flat().filter((event) => event.kind === 'attempt');
  const isCalm = attempts.every(({ finding, fates }) => finding !== 'dies' && fates.length === 0);
  const addresses = new Set(attempts.map(({ clientIp }) => clientIp));
  // Before the scheduler begins: on the store itself.
  const issuer = sources.createLoginAttempts({ store, now: clock.now });
  const deviceToken = await issuer.issueDeviceToken({ username: USERNAME });
  for (const round of rounds) {
    for (const event of round) void happen(event).catch((error) => faults.push(String(error)));
    await becomeQuiet();
  }
  await release();

  // The counts are right: only unclear attempts hold places, and every guess is counted once.
  const { engine } = open([]);
  giveBack();
  if (isCalm && seconds < WINDOW_SECONDS) {
    for (const clientIp of addresses) await checkCounts(clientIp);
    clock.advance(KEPT_SECONDS);
    for (const clientIp of addresses) await checkNothingIsKept(clientIp);
  }

  async function reportsOf(clientIp: string) {
    const { counters } = await engine.explain({ username: USERNAME, clientIp });
    return counters.flatMap((report) => (report.state === 'counting' ? report : []));
  }

  async function checkCounts(clientIp: string): Promise<void> {
    for (const { counter, inFlight, failures } of await reportsOf(clientIp)) {
      const name = { subject: clientIp, account: 'account', ip: `all of ${clientIp}`, device: 'device' }[counter];
      const kept = unclear.filter(({ counters }) => counters.includes(name)).length;
      if (counter === 'account' && clears + successes + unclear.length === 0) checkDevice(failures);
      // A device whose counter is full counts in the others.
      const isPassedByAll = counter === 'subject' || !attempts.some(({ isFromDevice }) => isFromDevice);
      const isExact = isPassedByAll && clears === 0 && (successes === 0 || counter !== 'subject');
      // If time passes between a rejection and its record, its place is kept a little longer.
      const isKept = isExact && seconds === 0 ? inFlight === kept : inFlight >= 0;
      if (!isKept || (kept === 0 && seconds === 0 && inFlight !== 0)) {
        faults.push(`${inFlight} in flight at the end instead of ${kept}, by ${counter}`);
      }
      const expected = (guesses.get(name) ?? 0) - kept;
      if (isExact && failures !== expected)
        faults.push(`${failures} failures of ${expected} are counted, by ${counter}`);
    }
  }

  function checkDevice(accountFailures: number): void {
    const byDevice = (guesses.get('account and device') ?? 0) - accountFailures;
    if (byDevice > DEVICE_FAILURES)
      faults.push(`${byDevice} guesses of ${DEVICE_FAILURES} passed with the token alone`);
  }

  async function checkNothingIsKept(clientIp: string): Promise<void> {
    for (const { counter, inFlight } of await reportsOf(clientIp)) {
      if (inFlight !== 0) faults.push(`${inFlight} in flight a minute later, by ${counter}`);
    }
  }

  // No place is lost for ever: when every window and lock has ended, as many guesses as the limit are let through.
  clock.advance(2 * WINDOW_SECONDS);
  const later = await inTurn(engine, policy.failureCount + 1, { username: USERNAME, clientIp: ADDRESSES[0] as string });
  const expected = [...Array.from({ length: policy.failureCount }, () => 'failed'), 'LOGIN_LOCKED'];
  if (later.join() !== expected.join()) faults.push(`later guesses were ${later.join(', ')}`);
  if (faults.length > 0) throw new Error(faults.join('; '));
}
