import type { Violation } from '../history-checker.js';

/** The result of a run: what attackers reached, what it cost, and what honest users met meanwhile. */
export interface AbuseReport {
  readonly clock: 'moved' | 'real';
  readonly minutes: number;
  readonly attacks: readonly AttackResult[];
  readonly honest: readonly HonestResult[];
  readonly operator: OperatorCost;
}

/** What the whole run cost the operator. */
export interface OperatorCost {
  readonly messages: number;
  /** The processor time of both nodes, in seconds. */
  readonly cpuSeconds: number;
  /** One comparison at the default cost on this machine, in seconds. */
  readonly hashSeconds: number;
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
  readonly captchas?: AnsweredCaptchas | null;
}

/** The captchas that somebody has fetched and answered. */
export interface AnsweredCaptchas {
  readonly fetched: number;
  /** Those that were answered right. */
  readonly right: number;
  /** The processor time of proofs of work, in milliseconds. */
  readonly cpuMillis: number;
}

/** A row of the table of honest users. */
export interface HonestResult {
  readonly who: string;
  readonly tried: number;
  readonly signedIn: number;
  /** Sign-ins that were refused in the end, whatever the user did. */
  readonly refused: number;
  /** Why refusals are no violation; null if they are. */
  readonly mayBeRefused: string | null;
  readonly captchas: number;
  /** The refusals, by code. */
  readonly outcomes: Outcomes;
}

/** How often which code, or which status without a code, was answered. */
export type Outcomes = ReadonlyMap<string, number>;
