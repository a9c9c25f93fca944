import type { components } from './schema.generated.js';

/** A refusal of the service. */
export type Problem = components['schemas']['Problem'];

/** The service refused a request. `code` is stable; the message is for people. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: string;
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
    this.code = problem.code;
    this.problem = problem;
  }
}

type Answer<Data> =
  | { readonly data: Data; readonly error?: never }
  | { readonly data?: never; readonly error: Problem };

/**
 * The content of a success.
 *
 * @throws {RefusedError} for a refusal
 */
export function dataOf<Data>(answer: Answer<Data>): Data {
  if (answer.error !== undefined) throw new RefusedError(answer.error);
  return answer.data;
}
