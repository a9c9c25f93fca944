import { startDeadline } from '@sallyport/deadline';

// A database that hangs would otherwise collect a statement of every request: beyond this many calls without an outcome
// the next ones are refused at once.
const MOST_UNSETTLED = 10_000;

/** Runs a statement; rejects when it fails, or takes longer than the limit. It may take effect all the same. */
export type BoundedCall = <Result>(call: () => PromiseLike<Result>) => Promise<Result>;

export function createBoundedCall(timeoutMillis: number): BoundedCall {
  let unsettled = 0;

  return <Result>(call: () => PromiseLike<Result>) =>
    new Promise<Result>((resolve, reject) => {
      if (unsettled >= MOST_UNSETTLED) {
        reject(new Error(`${unsettled} statements are still without an answer`));
        return;
      }
      const cancelDeadline = startDeadline(timeoutMillis, () => {
        reject(new Error(`No answer within ${timeoutMillis} ms`));
      });
      const settle = () => {
        unsettled -= 1;
        cancelDeadline();
      };
      unsettled += 1;
      Promise.resolve()
        .then(call)
        .then(
          (result) => {
            settle();
            resolve(result);
          },
          (error: unknown) => {
            settle();
            reject(error);
          },
        );
    });
}
