import type { ApiAnswer } from '../api-client.js';

/** Answers by status, and refusals by their code. */
export interface Tally {
  add(answer: ApiAnswer): void;
  /** The number of answers with the given status or code. */
  of(outcome: number | string): number;
  readonly requests: number;
  /** `401 × 20, LOGIN_LOCKED × 3`. */
  text(): string;
}

export function createTally(): Tally {
  const outcomes = new Map<number | string, number>();
  let requests = 0;
  const count = (outcome: number | string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  return {
    add({ status, code }) {
      requests += 1;
      count(status);
      if (code !== '') count(code);
    },
    of: (outcome) => outcomes.get(outcome) ?? 0,
    get requests() {
      return requests;
    },
    text: () => [...outcomes].map(([outcome, times]) => `${outcome} × ${times}`).join(', '),
  };
}
