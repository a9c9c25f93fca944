import { writeSync } from 'node:fs';

/** Points at which a process may be stopped, in the order of a request. */
export const killPoints = [
  /** Before the record of a key is claimed. */
  'before-processing',
  /** The record says PROCESSING, and nothing has been done. */
  'after-processing',
  /**
   * Before the record becomes SUBMITTED: inside the handler's transaction, after the row was inserted; with a store
   * that has no transactions after the commit of the row.
   */
  'before-submitted',
  /** Everything is written in the transaction of the row. */
  'before-commit',
  'after-commit',
  /** Everything is done, and no byte of the answer is sent. */
  'before-answer',
] as const;

export type KillPoint = (typeof killPoints)[number];

/** The descriptor on which a process announces that it is about to stop, after the standard ones. */
const ANNOUNCEMENTS = 3;

/**
 * The signal that this process sends to itself: `FAULT_SIGNAL` (default SIGKILL) at the `FAULT_PASS`-th
 * time (default the first) that it reaches `FAULT_POINT`. Without `FAULT_POINT`: nothing. SIGUSR2 resets the count.
 *
 * @returns what is to be called at each point
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
