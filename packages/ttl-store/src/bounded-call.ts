import { startDeadline } from './deadline.js';
import { StoreUnavailableError } from './errors.js';
import { describeFailure } from './failure-cause.js';

// A service that hangs would otherwise collect a command of every request until its socket dies: beyond this many
// calls without an outcome the next ones are refused at once. A healthy service at full load has some hundreds.
const MOST_UNSETTLED = 10_000;

/** Tells a call that its caller has gone: what hasn't been sent by then must not be sent. */
interface Caller {
  gaveUp: boolean;
}

/** Runs a call to a service; rejects with `StoreUnavailableError` when it fails, or takes longer than the limit. */
export type BoundedCall = <Result>(call: (caller: Caller) => PromiseLike<Result>) => Promise<Result>;

export function createBoundedCall(timeoutMillis: number): BoundedCall {
  let unsettled = 0;

  return <Result>(call: (caller: Caller) => PromiseLike<Result>) =>
    new Promise<Result>((resolve, reject) => {
      const refuse = (why: unknown) => reject(new StoreUnavailableError({ cause: describeFailure(why) }));
      if (unsettled >= MOST_UNSETTLED) {
        refuse(new Error(`${unsettled} calls are still without an answer`));
        return;
      }

      const caller: Caller = { gaveUp: false };
      const cancelDeadline = startDeadline(timeoutMillis, () => {
        caller.gaveUp = true;
        refuse(new Error(`No answer within ${timeoutMillis} ms`));
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
            refuse(error);
          },
        );
    });
}
