/** A timeout is cut into this many slices. A paused process loses at most one of them. */
const SLICES = 4;

/**
 * Calls back after `millis` in which this process could run, unless it is cancelled. A plain timer is due at once after
 * a long task or a pause of the machine, before the answer that waits in the socket is read. It would abandon work that
 * was not slow.
 *
 * @param millis in milliseconds, from 1
 * @returns cancels it
 */
export function startDeadline(millis: number, onReached: () => void): () => void {
  let isCancelled = false;
  let timer: ReturnType<typeof setTimeout>;

  function wait(slices: number): void {
    timer = setTimeout(
      () => {
        if (slices > 1) wait(slices - 1);
        // One more turn of the event loop, for an answer that arrived in the last slice.
        else setImmediate(() => isCancelled || onReached());
      },
      Math.ceil(millis / SLICES),
    );
  }

  wait(SLICES);
  return function cancel() {
    isCancelled = true;
    clearTimeout(timer);
  };
}

/**
 * The outcome of the work, or the error if the deadline comes first. The work is not stopped: its later outcome is
 * ignored.
 *
 * @param millis in milliseconds, from 1
 *
 * @example
 * ```ts
 * import { createBoundedCall, withinDeadline } from '@sallyport/plugin-kit/deadlines';
 *
 * const hangs = () => new Promise<never>(() => {});
 * await assert.rejects(withinDeadline(hangs(), 20, () => new Error('Late')));
 * ```
 */
export function withinDeadline<Result>(
  work: PromiseLike<Result>,
  millis: number,
  makeError: () => Error,
): Promise<Result> {
  // Every statement of a request comes here, and `Promise.race` takes longer.
  return new Promise((resolve, reject) => {
    const cancel = startDeadline(millis, () => reject(makeError()));
    Promise.resolve(work).then(
      (result) => {
        cancel();
        resolve(result);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
