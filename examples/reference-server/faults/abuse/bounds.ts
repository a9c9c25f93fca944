// What attackers may reach, and by which requirement. The program under test is not asked.

/** The defaults of `failure-window-seconds` and `lock-seconds`, in minutes (interface document, LGN-1). */
const WINDOW_MINUTES = 10;

/** How many windows a run of this length touches at most. */
const windowsIn = (minutes: number) => Math.floor(minutes / WINDOW_MINUTES) + 1;

/** A bound, and where it comes from. */
export interface Bound {
  readonly bound: number;
  readonly source: string;
}

/** Guesses at one name from any number of addresses: `account-failure-count` in each window. */
export const guessesAtName = (minutes: number): Bound => ({
  bound: 20 * windowsIn(minutes),
  source: 'LGN-6: 20 in 600 s',
});

/** Guesses at one name from one address: `failure-count` in each window. */
export const guessesFromAddress = (minutes: number, addresses = 1): Bound => ({
  bound: 5 * addresses * windowsIn(minutes),
  source: 'LGN-1: 5 in 600 s for each address',
});

/** Guesses at any names from one address: `ip-failure-count` in each window. */
export const guessesAtAnyName = (minutes: number, addresses: number): Bound => ({
  bound: 100 * addresses * windowsIn(minutes),
  source: 'LGN-6: 100 in 600 s for each address',
});

/** Guesses with a device token, in addition to those without. */
export const guessesWithToken = (minutes: number): Bound => ({
  bound: 5 * windowsIn(minutes),
  source: 'LGN-12: 5 in 600 s for each token',
});

/** What a stolen session and any other network guess at one name together. */
export const guessesWithSession = (minutes: number): Bound => ({
  bound: 20 * windowsIn(minutes),
  source: 'LGN-6: the old password counts like a sign-in',
});

const MINUTES_A_DAY = 1440;

/** How many days a run of this length touches at most. */
const daysIn = (minutes: number) => Math.floor(minutes / MINUTES_A_DAY) + 1;

/** How many hours a run of this length touches at most. */
const hoursIn = (minutes: number) => Math.floor(minutes / 60) + 1;

/** Guesses of codes of ordinary length for one number. */
export const guessesOfCodes = (minutes: number, hasCaptcha: boolean): Bound => ({
  bound: (hasCaptcha ? 100 : 50) * daysIn(minutes),
  source: hasCaptcha ? 'OTC-1: 100 a day with captchas' : 'OTC-1: 50 a day without captchas',
});

/** Takeovers of one number: each guess meets at most three codes of six digits. */
export const takeoversOfNumber = (minutes: number, hasCaptcha: boolean): Bound => ({
  bound: guessesOfCodes(minutes, hasCaptcha).bound * 3e-6,
  source: 'OTC-1: three codes of 10⁻⁶ are live',
});

/** Takeovers by spraying over many numbers, from 1000 addresses. */
export const takeoversBySpraying = (minutes: number): Bound => ({
  bound: 0.01 * daysIn(minutes),
  source: 'OTC-3: 0.01 a day',
});

/** Messages to numbers of regions other than the default one. */
export const messagesAbroad: Bound = { bound: 0, source: 'OTC-3: the default region alone' };

/** Messages to numbers that have never signed in: half of `region-hourly-limit`. */
export const messagesToStrangers = (minutes: number): Bound => ({
  bound: 1500 * hoursIn(minutes),
  source: 'OTC-2, OTC-3: half of 3000 an hour',
});

/** Messages without captchas: `captcha-after` of each address, and no more than strangers get. */
export const messagesWithoutCaptcha = (minutes: number, addresses: number): Bound => ({
  bound: Math.min(20 * addresses * hoursIn(minutes), messagesToStrangers(minutes).bound),
  source: 'OTC-2: 20 an hour for each address without a captcha',
});

/** What a captcha is worth that was used before, or for something else, or by several at once. */
export const capturedCaptchas: Bound = { bound: 0, source: 'CAP-1: single use, bound to its purpose' };
