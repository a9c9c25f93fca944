import { writeSync } from 'node:fs';

/** Points at which a process may be stopped, in the order of request processing. */
export const killPoints = [
  /** Before the record of a key is claimed. */
  'before-processing',
  /** The record is PROCESSING, and the handler has not run. */
  'after-processing',
  /**
   * Before the record becomes SUBMITTED. This is after the insert, inside the handler's transaction; with a store
   * without transactions it is after the commit of the row.
   */
  'before-submitted',
  /** The transaction of the row is complete but not committed. */
  'before-commit',
  'after-commit',
  /** The request is processed, and no byte of the answer has been sent. */
  'before-answer',
] as const;

/** Further points of an upload, between `after-processing` and `before-submitted`. */
export const uploadPoints = [
  /** The ledger has the content, which is not published. */
  'after-announce',
  /** The content is published, and the transaction of the file has not begun. */
  'after-publish',
] as const;

export type KillPoint = (typeof killPoints)[number] | (typeof uploadPoints)[number];

/** The descriptor, after the standard ones, on which a process announces that it will stop. */
const ANNOUNCEMENTS = 3;

/**
 * Makes this process send itself `FAULT_SIGNAL` (default SIGKILL) at the `FAULT_PASS`-th pass (default 1) of
 * `FAULT_POINT`. Does nothing without `FAULT_POINT`. SIGUSR2 resets the count.
 *
 * @returns a function to call at each point
 */
export function readKillPoint(environment: NodeJS.ProcessEnv): (point: KillPoint) => void {
  const { FAULT_POINT: armed, FAULT_PASS: pass = '1', FAULT_SIGNAL: signal = 'SIGKILL' } = environment;
  let passes = 0;
  process.on('SIGUSR2', () => {
    passes = 0;
  });
  return function reach(point) {
    if (point !== armed) return;
    passes += 1;
    if (passes !== Number(pass)) return;
    writeSync(ANNOUNCEMENTS, `${point}\n`);
    process.kill(process.pid, signal);
  };
}
