import type { components } from './schema.generated.js';

/** A refusal of the service. */
export type Problem = components['schemas']['Problem'];

type Refused = components['responses'][keyof components['responses']]['content']['application/problem+json'];

/** Every code of the OpenAPI document. A newer service may have others. */
export type RefusalCode = NonNullable<Refused['code']>;

/** The service refused a request. `code` is stable; the message is for people. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: RefusalCode;
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
    this.code = problem.code as RefusalCode;
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
