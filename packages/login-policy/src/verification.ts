/** The end of a verification. Exactly one of the two members is present. */
export type VerificationOutcome<Result = unknown> =
  | { readonly result: Result; readonly error?: undefined }
  | { readonly error: unknown; readonly result?: undefined };

/**
 * Decides whether a verification has failed, in place of the rules of `attempt`.
 * - True: it has. It is counted, and `attempt` resolves to null, or rejects with the error.
 * - False: it has not. A result counts as a success, and `attempt` resolves to it. An error says nothing about the
 *   password: the attempt's place is released at once, and `attempt` rejects with the error.
 * - Undefined: the rules decide.
 *
 * If it throws, or returns anything else (such as a promise), the attempt is counted as a failure.
 */
export type IsFailure<Result = unknown> = (outcome: VerificationOutcome<Result>) => boolean | undefined;

/** A result that is a failure by the rules, as far as its type shows it. */
type FailedResult =
  | null
  | undefined
  | false
  | 0
  | ''
  | 0n
  | readonly []
  | { readonly ok: false }
  | { readonly success: false }
  | { readonly valid: false };

/** The result of a verification that didn't fail. */
export type Verified<Result> = Exclude<Result, FailedResult>;

/**
 * `unclear`: it rejected, and the reason may depend on the password. `irrelevant`: it rejected for a reason that does
 * not depend on the password.
 */
export type Judgement = 'passed' | 'failed' | 'unclear' | 'irrelevant';

/** Runs a verification. Never rejects. */
export async function settle<Result>(verify: () => Promise<Result>): Promise<VerificationOutcome<Result>> {
  try {
    return { result: await verify() };
  } catch (error) {
    return { error };
  }
}

/**
 * The first decider that returns a decision decides, otherwise the rules.
 *
 * @throws what a decider throws, or a TypeError for a bad answer
 */
export function judge<Result>(
  outcome: VerificationOutcome<Result>,
  deciders: readonly (IsFailure<Result> | undefined)[],
): Judgement {
  for (const isFailure of deciders) {
    const answer: unknown = isFailure?.(outcome);
    if (answer === true) return 'failed';
    if (answer === false) return 'error' in outcome ? 'irrelevant' : 'passed';
    if (answer === undefined) continue;
    // The promise of an async function may reject, which nothing else would handle.
    Promise.resolve(answer).catch(() => {});
    throw new TypeError('isFailure must return true, false or undefined, and not a promise');
  }
  if ('error' in outcome) return isRefusal(outcome.error) ? 'failed' : 'unclear';
  return hasFailed(outcome.result) ? 'failed' : 'passed';
}

/** Requirement ADP-6: results other than null by which libraries report wrong credentials. */
function hasFailed(result: unknown): boolean {
  if (!result) return true;
  if (Array.isArray(result)) return result.length === 0;
  return ['ok', 'success', 'valid'].some((name) => memberOf(result, name) === false);
}

/** Request Timeout and Too Many Requests: the request was not examined. */
const NOT_EXAMINED: readonly unknown[] = [408, 429];

/** Requirement ADP-6: a refusal of the request by its status, 4xx. */
function isRefusal(error: unknown): boolean {
  return ['statusCode', 'status'].some((name) => {
    const status = memberOf(error, name);
    return typeof status === 'number' && status >= 400 && status < 500 && !NOT_EXAMINED.includes(status);
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
