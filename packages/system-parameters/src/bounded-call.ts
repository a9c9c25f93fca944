import { withinDeadline } from './deadline.js';

// A source that hangs would collect a call for every retry: beyond this many without an outcome the next are refused.
const MOST_UNSETTLED = 100;

/** Tells a call that its caller has gone. */
export interface Caller {
  gaveUp: boolean;
}

/** Runs a call; rejects when it fails, or takes longer than the limit. */
export type BoundedCall = <Result>(
  call: (caller: Caller) => PromiseLike<Result>,
  limitMillis?: number,
) => Promise<Result>;

export function createBoundedCall(timeoutMillis: number): BoundedCall {
  let unsettled = 0;

  return async <Result>(call: (caller: Caller) => PromiseLike<Result>, limitMillis = timeoutMillis) => {
    if (unsettled >= MOST_UNSETTLED) throw new Error(`${unsettled} calls are still without an answer`);
    const caller: Caller = { gaveUp: false };
    unsettled += 1;
    const outcome = Promise.resolve()
      .then(() => call(caller))
      .finally(() => {
        unsettled -= 1;
      });
    return withinDeadline(outcome, limitMillis, () => {
      caller.gaveUp = true;
      return new Error(`No answer within ${limitMillis} ms`);
    });
  };
}
