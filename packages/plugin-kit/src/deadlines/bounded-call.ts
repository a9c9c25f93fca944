import { callback, readOptions, SetupError, wholeNumber } from '../options/index.js';
import { startDeadline } from './deadline.js';

/** Options of {@link createBoundedCall}. */
export interface BoundedCallOptions {
  /** How long a call may take, in milliseconds, 1 to 3 600 000. Required. */
  readonly timeoutMillis: number;
  /**
   * The maximum number of calls without an outcome, including abandoned ones. Further calls are refused at once. 1 to 1
   * 000 000. Default 10 000. Otherwise calls would pile up while a service hangs.
   */
  readonly maxUnsettled?: number;
  /**
   * Makes the caller's error from the reason, which is the service's error or that of a limit. Default: the reason
   * itself.
   */
  readonly toError?: (reason: unknown) => unknown;
}

/** Shows a call that its caller has given up. The call must not send anything after that. */
export interface Caller {
  gaveUp: boolean;
}

/**
 * Runs a call. Rejects if the call fails or takes longer than the limit. An abandoned call may still take effect.
 *
 * @param limitMillis a different limit for this call, in milliseconds. Default: the limit of the options
 */
export type BoundedCall = <Result>(
  call: (caller: Caller) => PromiseLike<Result>,
  limitMillis?: number,
) => Promise<Result>;

/** A bounded call was set up with bad options. */
export class DeadlineSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('DEADLINE_SETUP_INVALID', subject, faults);
  }
}

const rules = {
  timeoutMillis: wholeNumber({ min: 1, max: 3_600_000, unit: 'milliseconds' }),
  maxUnsettled: wholeNumber({ min: 1, max: 1_000_000, unit: 'calls', default: 10_000 }),
  toError: callback<(reason: unknown) => unknown>({
    that: 'takes a reason and returns an error',
    default: (reason) => reason,
  }),
};

/**
 * Bounds the calls to one service, in time and in number.
 *
 * @example
 * ```ts
 * const hangs = () => new Promise<never>(() => {});
 * await assert.rejects(withinDeadline(hangs(), 20, () => new Error('Late')));
 *
 * const call = createBoundedCall({ timeoutMillis: 20, maxUnsettled: 1 });
 * await assert.rejects(call(hangs)); // after 20 ms
 * await assert.rejects(call(async () => 'unasked')); // at once: the first still counts
 * ```
 *
 * @throws DeadlineSetupError naming every fault of the options
 */
export function createBoundedCall(options: BoundedCallOptions): BoundedCall {
  const { timeoutMillis, maxUnsettled, toError } = readOptions<Required<BoundedCallOptions>>(
    { subject: 'createBoundedCall', SetupError: DeadlineSetupError },
    options,
    rules,
  );
  let unsettled = 0;

  return <Result>(call: (caller: Caller) => PromiseLike<Result>, limitMillis = timeoutMillis) =>
    new Promise<Result>((resolve, reject) => {
      if (unsettled >= maxUnsettled) {
        reject(toError(new Error(`${unsettled} calls are still without an answer`)));
        return;
      }
      const caller: Caller = { gaveUp: false };
      const cancelDeadline = startDeadline(limitMillis, () => {
        caller.gaveUp = true;
        reject(toError(new Error(`No answer within ${limitMillis} ms`)));
      });
      const settle = () => {
        unsettled -= 1;
        cancelDeadline();
      };
      unsettled += 1;
      Promise.resolve()
        .then(() => call(caller))
        .then(
          (result) => {
            settle();
            resolve(result);
          },
          (error: unknown) => {
            settle();
            reject(toError(error));
          },
        );
    });
}
