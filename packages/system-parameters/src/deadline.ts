/** A deadline is cut into so many pieces: a stop of the process, however long, uses up one of them at most. */
const PIECES = 4;

/**
 * Calls back when so much time has passed in which this process could run, and not at all once it is cancelled. After a
 * long task, or when the machine stood still, a plain timer is due before the answer that lies in the socket is read: work
 * would be given up that nobody was slow with.
 *
 * @param millis in milliseconds, from 1
 * @returns cancels it
 */
function startDeadline(millis: number, onReached: () => void): () => void {
  let isCancelled = false;
  let timer: NodeJS.Timeout;

  function wait(pieces: number): void {
    timer = setTimeout(
      () => {
        if (pieces > 1) wait(pieces - 1);
        // One turn more for what has come in the last piece.
        else setImmediate(() => isCancelled || onReached());
      },
      Math.ceil(millis / PIECES),
    );
  }

  wait(PIECES);
  return function cancel() {
    isCancelled = true;
    clearTimeout(timer);
  };
}

/** The outcome of the work, or the error when the deadline comes first: then the work is left to itself. */
export async function withinDeadline<Result>(
  work: PromiseLike<Result>,
  millis: number,
  makeError: () => Error,
): Promise<Result> {
  let cancel: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = startDeadline(millis, () => reject(makeError()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel?.();
  }
}
