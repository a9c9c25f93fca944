import type { Counter } from '@sallyport/ttl-store';
import { type Count, type Counters, DAY_MILLIS, type Tally } from './counters.js';
import { CodeCaptchaRequiredError, NewCodeRequiredError } from './errors.js';
import type { OneTimeCodeEvent } from './events.js';
import type { OneTimeCodePolicy } from './policy.js';

/** A check, as the ledgers of wrong codes see it. */
export interface Guess {
  readonly recipient: string;
  /** The keyed hash of the recipient. */
  readonly tag: string;
  readonly networks: readonly string[];
  /** The name under which the attempts are counted: a handle, or the recipient and the client's network. */
  readonly attempts: { readonly name: string; readonly windowMillis: number };
  /**
   * The number of live codes of ordinary length that the code is compared with. It is the chance of the guess, in units
   * of one code.
   */
  readonly chances: number;
  /** Whether the code has the length of long codes. */
  readonly isLong: boolean;
  readonly hasCaptcha: () => boolean | Promise<boolean>;
}

/** A guess that was counted as a wrong code and may now be compared. */
export interface CountedGuess {
  /** The code was wrong. The counts stay. */
  settleWrong(): Promise<void>;
  /** The code was right. It is removed from the wrong codes; its attempt stays counted. */
  settleRight(): Promise<void>;
}

export interface WrongCodes {
  /**
   * Counts an attempt and a wrong code before anything is compared. Null: the attempts are used up.
   *
   * @throws {CodeCaptchaRequiredError} {@link NewCodeRequiredError} nothing is counted then
   */
  reserve(guess: Guess, rules: OneTimeCodePolicy): Promise<CountedGuess | null>;
  /** Whether a new code has to be long, and whether no other is accepted. */
  needsLongCode(
    tag: string,
    rules: OneTimeCodePolicy,
  ): Promise<{ readonly isLong: boolean; readonly isLongOnly: boolean }>;
  /** Whether the next check of these networks needs a captcha, for this recipient. Null: for any recipient. */
  asksCaptcha(networks: readonly string[], tag: string | null, rules: OneTimeCodePolicy): Promise<boolean>;
  /** The holder of a handle has signed in, so the earlier wrong codes with it were not an attack. */
  forgive(tag: string, networks: readonly string[], mistakes: number): Promise<void>;
}

export interface WrongCodesOptions {
  readonly counters: Counters;
  /** Reports an event once per window. */
  readonly tellOnce: (event: OneTimeCodeEvent, windowMillis: number) => Promise<void>;
}

/** The name of the ledger of a recipient. */
export const recipientLedger = (tag: string) => `wrong:${tag}`;

/** The name of the ledger over all recipients. */
export const OVERALL_LEDGER = 'wrong-overall';

const networkLedger = (network: string) => `wrong-from:${network}`;

/** The fraction of the overall limit from which new codes are long. */
export const LONG_CODES_SHARE = 1 / 2;

/**
 * The ledgers of wrong codes: of each recipient, of each client network and of the whole service. A guess is counted in
 * all of them before it is compared, and removed again if it was right.
 */
export function createWrongCodes({ counters, tellOnce }: WrongCodesOptions): WrongCodes {
  /** The overall ledger counts chances. A guess that can't meet a code of ordinary length only reads it. */
  async function countOverall(tally: Tally, chances: number, limit: number, counted: Counter | undefined) {
    if (chances === 0) return { value: 0, isSpent: (await counters.peek(OVERALL_LEDGER)) >= limit };
    const { value } = counted ?? (await tally.add(OVERALL_LEDGER, DAY_MILLIS, chances));
    return { value, isSpent: value > limit };
  }

  /** Counts the attempt and the wrong code at once. Null: nothing was counted, as if the attempts are used up. */
  async function countTogether(
    { tag, networks, attempts, chances }: Guess,
    maxAttempts: number,
    ...tallies: [Tally, Tally]
  ) {
    const [attempt, wrong] = tallies;
    const attemptCount = { ...attempts, most: maxAttempts };
    const counts: Count[] = [
      { name: recipientLedger(tag), windowMillis: DAY_MILLIS },
      ...networks.map((network) => ({ name: networkLedger(network), windowMillis: DAY_MILLIS })),
      ...(chances === 0 ? [] : [{ name: OVERALL_LEDGER, windowMillis: DAY_MILLIS, by: chances }]),
    ];
    const made = await counters.addTogether([attemptCount, ...counts]);
    if (made === null) return null;
    attempt.include(attemptCount, made[0]!);
    const sums = made.slice(1);
    for (const [index, count] of counts.entries()) wrong.include(count, sums[index]!);
    return {
      ofRecipient: sums[0]!,
      ofNetworks: sums.slice(1, 1 + networks.length),
      overall: chances === 0 ? undefined : sums.at(-1)!,
    };
  }

  async function tellCrossed(value: number, by: number, threshold: number, event: OneTimeCodeEvent): Promise<void> {
    if (value > threshold && value - by <= threshold) await tellOnce(event, DAY_MILLIS);
  }

  /** @throws {CodeCaptchaRequiredError} {@link NewCodeRequiredError} nothing is counted then */
  async function count(
    guess: Guess,
    rules: OneTimeCodePolicy,
    isCaptchaAnswered: boolean,
  ): Promise<CountedGuess | null> {
    const { recipient, tag, networks, attempts, chances, isLong } = guess;
    const tally = counters.tally();
    const wrong = counters.tally();
    const together = await countTogether(guess, rules.maxAttempts, tally, wrong);
    if (together === null) {
      const attempt = await tally.add(attempts.name, attempts.windowMillis);
      if (attempt.value > rules.maxAttempts) return null;
    }
    const undoAll = () => Promise.all([tally.undo(), wrong.undo()]);
    const counts = [
      together?.ofRecipient ?? wrong.add(recipientLedger(tag), DAY_MILLIS),
      countOverall(wrong, chances, rules.overallWrongDailyLimit, together?.overall),
      together?.ofNetworks ?? Promise.all(networks.map((network) => wrong.add(networkLedger(network), DAY_MILLIS))),
    ] as const;
    try {
      // All counts complete before one refuses, so that all can be reverted.
      await Promise.allSettled(counts);
      const [ofRecipient, overall, ofNetworks] = await Promise.all(counts);
      if ((ofRecipient.value > rules.wrongDailyLimit || overall.isSpent) && !isLong) throw new NewCodeRequiredError();
      const asksCaptcha =
        ofRecipient.value > rules.wrongCaptchaAfter || ofNetworks.some(({ value }) => value > rules.ipWrongDailyLimit);
      if (asksCaptcha && !isCaptchaAnswered) throw new CodeCaptchaRequiredError();
      return {
        settleRight: () => wrong.undo(),
        async settleWrong() {
          const { value: wrongCodes } = ofRecipient;
          const type = 'recipient-guessed';
          const captcha = { type, recipient, wrongCodes, consequence: 'captcha' } as const;
          // The threshold is one below the refusal, because a refused guess is not compared and settles nothing.
          const longOnly = { type, recipient, wrongCodes, consequence: 'long-codes-only' } as const;
          await tellCrossed(wrongCodes, 1, rules.wrongCaptchaAfter - 1, captcha);
          await tellCrossed(wrongCodes, 1, rules.wrongDailyLimit - 1, longOnly);
          const all = { type: 'guesses-overall', wrongCodes: overall.value } as const;
          const limit = rules.overallWrongDailyLimit;
          const half = limit * LONG_CODES_SHARE;
          await tellCrossed(overall.value, chances, half - 1, { ...all, consequence: 'long-codes' });
          await tellCrossed(overall.value, chances, limit - 1, { ...all, consequence: 'long-codes-only' });
        },
      };
    } catch (error) {
      await undoAll();
      throw error;
    }
  }

  return {
    async reserve(guess, rules) {
      try {
        return await count(guess, rules, false);
      } catch (error) {
        // Nothing is counted while a captcha is checked, because waiting checks must not fill a ledger.
        if (!(error instanceof CodeCaptchaRequiredError) || (await guess.hasCaptcha()) !== true) throw error;
        return count(guess, rules, true);
      }
    },

    async needsLongCode(tag, rules) {
      const [ofRecipient, overall] = await Promise.all([
        counters.peek(recipientLedger(tag)),
        counters.peek(OVERALL_LEDGER),
      ]);
      const isLongOnly = ofRecipient >= rules.wrongDailyLimit || overall >= rules.overallWrongDailyLimit;
      const isGuessed =
        ofRecipient >= rules.wrongCaptchaAfter || overall >= rules.overallWrongDailyLimit * LONG_CODES_SHARE;
      return { isLong: isLongOnly || isGuessed, isLongOnly };
    },

    async asksCaptcha(networks, tag, rules) {
      const [ofRecipient, ...ofNetworks] = await Promise.all([
        tag === null ? -1 : counters.peek(recipientLedger(tag)),
        ...networks.map((network) => counters.peek(networkLedger(network))),
      ]);
      return ofRecipient >= rules.wrongCaptchaAfter || ofNetworks.some((count) => count >= rules.ipWrongDailyLimit);
    },

    async forgive(tag, networks, mistakes) {
      const own = [recipientLedger(tag), OVERALL_LEDGER].map((name) => counters.giveBack(name, DAY_MILLIS, mistakes));
      // A right code also cancels a typing mistake of another person on a shared address.
      const shared = networks.map((network) => counters.giveBack(networkLedger(network), DAY_MILLIS, mistakes + 1));
      await Promise.all([...own, ...shared]);
    },
  };
}
