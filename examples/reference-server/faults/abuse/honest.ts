import type { ApiAnswer } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import type { CaptchaAnswer } from './captcha-desk.js';
import { type Network, networksOf48 } from './networks.js';
import type { HonestResult } from './results.js';
import { type Account, guess, type Stage } from './stage.js';
import { createTally, sumOfOutcomes, type Tally, textOf } from './tally.js';

/** Somebody with the right to sign in, who does so while others attack. */
export interface HonestUser {
  /** Signs in for the first time, before the attacks begin. Resolves to whether others of the row are still to come. */
  arrive(): Promise<boolean>;
  minute(index: number): Promise<void>;
  result(): HonestResult;
}

export interface HonestOptions {
  readonly who: string;
  /** Why refusals are no violation. Default null: they are. */
  readonly mayBeRefused?: string | null;
}

/** Adds up the rows of the same people. */
export function sumOf(results: readonly HonestResult[]): HonestResult[] {
  const rows = new Map<string, HonestResult>();
  for (const result of results) {
    const { who, tried, signedIn, refused, captchas, outcomes, mayBeRefused } = result;
    const before = rows.get(who);
    rows.set(who, {
      who,
      mayBeRefused,
      tried: tried + (before?.tried ?? 0),
      signedIn: signedIn + (before?.signedIn ?? 0),
      refused: refused + (before?.refused ?? 0),
      captchas: captchas + (before?.captchas ?? 0),
      outcomes: sumOfOutcomes([before?.outcomes ?? new Map(), outcomes]),
    });
  }
  return [...rows.values()];
}

/** Counts the sign-ins of one row, of one user or of thousands. */
export interface Visits {
  /** Runs a sign-in, which resolves to its last answer. */
  run(signIn: () => Promise<ApiAnswer>): Promise<void>;
  /** Repeats a request with a captcha if it needs one. */
  withCaptcha(
    send: (answer: CaptchaAnswer | null) => Promise<ApiAnswer>,
    read: () => Promise<CaptchaAnswer | null>,
  ): Promise<ApiAnswer>;
  result(): HonestResult;
}

/** The refusals that ask for a captcha. */
const CAPTCHA_CODES = ['CAPTCHA_REQUIRED', 'CAPTCHA_INVALID'];

export function createVisits({ who, mayBeRefused = null }: HonestOptions): Visits {
  const refusals: Tally = createTally();
  let tried = 0;
  let signedIn = 0;
  let captchas = 0;
  return {
    async run(signIn) {
      tried += 1;
      const answer = await signIn();
      if (answer.status === 200) signedIn += 1;
      else refusals.add(answer);
    },
    async withCaptcha(send, read) {
      const first = await send(null);
      if (!CAPTCHA_CODES.includes(first.code)) return first;
      const answer = await read();
      if (answer === null) return first;
      captchas += 1;
      return send(answer);
    },
    result: () => ({
      who,
      tried,
      signedIn,
      refused: tried - signedIn,
      mayBeRefused,
      captchas,
      outcomes: refusals.outcomes,
    }),
  };
}

/** The violations of a row: refusals that no requirement allows. */
export function violationsOfHonest({ who, tried, refused, mayBeRefused, outcomes }: HonestResult): Violation[] {
  if (tried === 0) return [{ kind: 'owner-refused', key: who, detail: 'never tried to sign in' }];
  if (refused === 0 || mayBeRefused !== null) return [];
  return [{ kind: 'owner-refused', key: who, detail: `${refused} of ${tried}: ${textOf(outcomes)}` }];
}

export interface AdministratorOptions extends HonestOptions {
  readonly account: Account;
  readonly address: string;
  /** Minutes from one sign-in to the next. */
  readonly every: number;
  /** The minute of the first one. Default 0. */
  readonly first?: number;
  /** Whether the device token of the last sign-in is sent with the next. */
  readonly keepsToken: boolean;
  /** Every how many sign-ins the password is mistyped once. Default 0: never. */
  readonly mistypesEvery?: number;
}

/** An administrator who signs in from an address of his own. */
export function administrator(stage: Stage, options: AdministratorOptions): HonestUser {
  const { account, address, every, first = 0, keepsToken, mistypesEvery = 0 } = options;
  const visits = createVisits(options);
  const captchas = stage.captchas.person();
  let deviceToken: string | undefined;
  let count = 0;

  function send(password: string): Promise<ApiAnswer> {
    const body = { username: account.username, password, terminal: 'web', ...(keepsToken && { deviceToken }) };
    return visits.withCaptcha(
      (captcha) => stage.call(address, '/admin/auth/login', { body: { ...body, ...captcha } }),
      () => captchas.answer(address, 'admin', 'login'),
    );
  }

  async function signIn(): Promise<ApiAnswer> {
    count += 1;
    if (mistypesEvery > 0 && count % mistypesEvery === 0) await send(guess(count));
    const answer = await send(account.password);
    if (answer.status === 200) deviceToken = answer.data.deviceToken;
    return answer;
  }

  return {
    async arrive() {
      await visits.run(signIn);
      return false;
    },
    async minute(index) {
      if (index % every === first % every) await visits.run(signIn);
    },
    result: visits.result,
  };
}

export interface CodeUserOptions extends HonestOptions {
  readonly mobiles: readonly string[];
  /** How many of the numbers have signed in before the attacks begin. */
  readonly known: number;
  readonly address: Network;
  /** How many sign in, each after the other, in a minute of the given number. */
  readonly perMinute: (minute: number) => number;
  /** Whether the handle of the answer is sent with the code, as new clients do. */
  readonly keepsHandle: boolean;
}

/** Where first sign-ins come from. */
const homes = networksOf48(0x200, 3000);

/** First sign-ins in a minute: fewer in an hour than the budget of new numbers. */
const ARRIVALS_A_MINUTE = 20;

/** The codes of a number that a person tries, newest first, each once: as many as a handle has attempts. */
const MAX_CODES_TRIED = 5;

/** App users who sign in by code, one number after the other. */
export function codeUsers(stage: Stage, options: CodeUserOptions): HonestUser {
  const { mobiles, known, address, perMinute, keepsHandle } = options;
  const visits = createVisits(options);
  const captchas = stage.captchas.person();
  const used = new Set<string>();
  /** Those whose code was refused for its length: they ask for another one a minute later. */
  let comingAgain: readonly number[] = [];
  let arrived = 0;
  let next = 0;

  const unusedOf = (mobile: string) => stage.liveCodesOf(mobile).filter((code) => !used.has(mobile + code));

  async function signIn(index: number, from: string): Promise<ApiAnswer> {
    const mobile = mobiles[index % mobiles.length]!;
    const captchaFor = (purpose: 'sms' | 'login') => () => captchas.answer(from, 'app', purpose);
    const before = stage.codesOf(mobile).length;
    const sent = await visits.withCaptcha(
      (captcha) => stage.call(from, '/app/auth/sendSmsCode', { body: { mobile, ...captcha } }),
      captchaFor('sms'),
    );
    if (sent.status !== 202) return sent;
    const hasUnused = unusedOf(mobile).length > 0;
    await stage.hasCodeAfter(mobile, before, options.mayBeRefused == null && !hasUnused);
    const own = { mobile, terminal: 'app', ...(keepsHandle && { handle: sent.data.handle }) };
    const tried = new Set<string>();
    for (let hasMore = true; hasMore && tried.size < MAX_CODES_TRIED; ) {
      const newest = unusedOf(mobile).findLast((code) => !tried.has(code));
      if (newest === undefined) {
        // The own message may be late, behind those that strangers have sent.
        hasMore = tried.size > 0 && (await stage.hasCodeAfter(mobile, stage.codesOf(mobile).length, true));
        continue;
      }
      tried.add(newest);
      const answer = await visits.withCaptcha(
        (captcha) => stage.call(from, '/app/auth/login', { body: { ...own, smsCode: newest, ...captcha } }),
        captchaFor('login'),
      );
      if (answer.status === 200) used.add(mobile + newest);
      if (answer.code !== 'LOGIN_FAILED') return answer;
    }
    return { ...sent, status: 0, code: tried.size === 0 ? 'NO_MESSAGE' : 'NO_RIGHT_CODE' };
  }

  async function come(index: number): Promise<void> {
    const answer = await signIn(index, address(index));
    if (answer.code === 'NEW_CODE_REQUIRED') comingAgain = [...comingAgain, index];
    else await visits.run(async () => answer);
  }

  return {
    async arrive() {
      const count = Math.min(ARRIVALS_A_MINUTE, known - arrived);
      await Promise.all(
        Array.from({ length: count }, (_, offset) =>
          visits.run(() => signIn(arrived + offset, homes(arrived + offset))),
        ),
      );
      arrived += count;
      return arrived < known;
    },
    async minute(minute) {
      const count = perMinute(minute);
      const again = comingAgain;
      comingAgain = [];
      await Promise.all([
        ...again.map((index) => visits.run(() => signIn(index, address(index)))),
        ...Array.from({ length: count }, (_, offset) => come(next + offset)),
      ]);
      next += count;
    },
    result: visits.result,
  };
}
