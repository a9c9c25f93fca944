import type { ApiAnswer } from '../api-client.js';
import type { Outcomes } from './results.js';

/** Answers by their code, or by their status if they have none. */
export interface Tally {
  add(answer: Pick<ApiAnswer, 'status' | 'code'>): void;
  /** The number of answers with the given code or status. */
  of(outcome: string | number): number;
  readonly requests: number;
  readonly outcomes: Outcomes;
}

/** Whether a refusal is one of these, or that of a busy server, which has compared and sent nothing. */
export function isLawfulRefusal(
  { status, code }: Pick<ApiAnswer, 'status' | 'code'>,
  codes: readonly string[],
): boolean {
  return status === 503 || codes.includes(code);
}

export function createTally(): Tally {
  const outcomes = new Map<string, number>();
  let requests = 0;
  return {
    outcomes,
    add({ status, code }) {
      requests += 1;
      const outcome = code === '' ? String(status) : code;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    },
    of: (outcome) => outcomes.get(String(outcome)) ?? 0,
    get requests() {
      return requests;
    },
  };
}

export function sumOfOutcomes(all: readonly Outcomes[]): Outcomes {
  const sum = new Map<string, number>();
  for (const [outcome, count] of all.flatMap((each) => [...each])) sum.set(outcome, (sum.get(outcome) ?? 0) + count);
  return sum;
}

/** `LOGIN_LOCKED × 3, LOGIN_FAILED × 1`. */
export const textOf = (outcomes: Outcomes): string =>
  [...outcomes].map(([outcome, count]) => `${outcome} × ${count}`).join(', ');
