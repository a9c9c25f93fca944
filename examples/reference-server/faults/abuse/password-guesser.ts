import type { ApiAnswer } from '../api-client.js';
import type { Attack } from './attack.js';
import type { Bound } from './bounds.js';
import type { Network } from './networks.js';
import type { AttackResult } from './results.js';
import { atOnce, guess, type Stage } from './stage.js';
import { createTally, isLawfulRefusal } from './tally.js';

/** The commonest passwords, which no account has (PWD-4): as many guesses at a name take nothing over. */
const REFUSED_PASSWORDS = 10_000;

/** The refusals of a password that was compared. */
const COMPARED = ['LOGIN_FAILED', 'OLD_PASSWORD_WRONG'];

/** Lawful answers to an attacker whose guess was not compared. */
const UNCOMPARED = ['LOGIN_LOCKED', 'RATE_LIMITED', 'CAPTCHA_REQUIRED', 'PASSWORD_WORKERS_BUSY', 'TOKEN_REVOKED'];

export interface PasswordGuesserOptions {
  readonly attack: string;
  readonly from: string;
  readonly network: Network;
  /** How many guesses are sent at once in a minute of the given number. */
  readonly perMinute: (minute: number) => number;
  /** How many names are guessed at. Default 1. */
  readonly names?: number;
  /** The body of a guess, in addition to the password. */
  readonly victim: (index: number) => object;
  readonly path?: string;
  /** With which token and body, where guesses are not sign-ins. */
  readonly request?: (password: string) => { readonly method: string; readonly token: string; readonly body: object };
  readonly bound: (minutes: number) => Bound;
  readonly what?: string;
}

/** Sends guesses of passwords, all of a minute at once. A guess was evaluated if it was answered as wrong. */
export function passwordGuesser(stage: Stage, options: PasswordGuesserOptions): Attack {
  const { attack, from, network, perMinute, victim, path = '/admin/auth/login', names = 1, bound } = options;
  const tally = createTally();
  const unexpected = new Set<string>();
  let sent = 0;

  function send(address: string, index: number): Promise<ApiAnswer> {
    const request = options.request?.(guess(index)) ?? { body: { ...victim(index), password: guess(index) } };
    return stage.call(address, path, request);
  }

  return {
    async minute(minute) {
      const count = perMinute(minute);
      const answers = await atOnce(count, network, sent, send);
      sent += count;
      for (const answer of answers) {
        tally.add(answer);
        const { status, code } = answer;
        if (status >= 300 && !isLawfulRefusal(answer, [...COMPARED, ...UNCOMPARED]))
          unexpected.add(`${status} ${code}`);
      }
    },
    result(minutes): AttackResult {
      const evaluated = COMPARED.reduce((sum, code) => sum + tally.of(code), 0);
      const what = options.what ?? 'guesses evaluated';
      return {
        attack,
        from,
        requests: tally.requests,
        reached: [{ what, count: evaluated, ...bound(minutes) }],
        expectedTakeovers: evaluated <= REFUSED_PASSWORDS * names ? 0 : null,
        takeovers: tally.of(200) + tally.of(204),
        price: { hashes: evaluated },
        violations: [...unexpected].map((detail) => ({ kind: 'wrong-refusal', key: attack, detail })),
      };
    },
  };
}
