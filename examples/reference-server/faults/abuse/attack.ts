import type { Violation } from '../history-checker.js';
import type { AttackResult } from './results.js';

/** What an attacker sends in one minute, and what came of it. */
export interface Attack {
  /** Sends what is sent in a minute of the given number, from 0. */
  minute(index: number): Promise<void>;
  /** @param minutes for which the attack has run */
  result(minutes: number): AttackResult;
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
