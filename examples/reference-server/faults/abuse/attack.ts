import type { Violation } from '../history-checker.js';
import type { CaptchaHand } from './captcha-desk.js';

/** What an attacker sends in one minute, and what came of it. */
export interface Attack {
  /** Sends what is sent in a minute of the given number, from 0. */
  minute(index: number): Promise<void>;
  /** @param minutes for which the attack has run */
  result(minutes: number): AttackResult;
}

/** A row of the table of attackers. */
export interface AttackResult {
  readonly attack: string;
  /** From how many networks of which kind. */
  readonly from: string;
  readonly requests: number;
  readonly reached: readonly Reached[];
  /** Expected from the guesses that were evaluated; null if the attack doesn't guess. */
  readonly expectedTakeovers: number | null;
  readonly takeovers: number;
  readonly price: Price;
  readonly violations?: readonly Violation[];
}

/** Something that an attacker gets only so much of. */
export interface Reached {
  readonly what: string;
  readonly count: number;
  readonly bound: number;
  /** Where the bound comes from. */
  readonly source: string;
}

/** What an attack costs both sides. */
export interface Price {
  /** Comparisons with BCrypt. */
  readonly hashes?: number;
  /** Text messages. */
  readonly messages?: number;
  /** The captchas that the attacker fetched and answered. */
  readonly captchas?: CaptchaHand | null;
}

/** The violations of a result: each bound that is exceeded, and its own. */
export function violationsOf({ attack, reached, violations = [] }: AttackResult): Violation[] {
  const exceeded = reached
    .filter(({ count, bound }) => count > bound)
    .map(
      ({ what, count, bound, source }): Violation => ({
        kind: 'bound-exceeded',
        key: attack,
        detail: `${count} ${what}, at most ${bound} (${source})`,
      }),
    );
  return [...exceeded, ...violations];
}
