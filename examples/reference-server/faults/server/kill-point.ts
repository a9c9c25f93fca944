import { writeSync } from 'node:fs';

/** Where a process may be made to stop, in the order in which a request passes. */
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
  /** Everything is done, and no byte of the answer has left. */
  'before-answer',
] as const;

export type KillPoint = (typeof killPoints)[number];

/** Where the harness listens for a process that is about to stop: a descriptor beyond those that everybody uses. */
const ANNOUNCEMENTS = 3;

/**
 * What this process does to itself, as its environment says: `FAULT_SIGNAL` (default SIGKILL) at the `FAULT_PASS`-th
 * time (default the first) that it reaches `FAULT_POINT`. Without `FAULT_POINT`: nothing. SIGUSR2 counts anew.
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
