import { readFileSync } from 'node:fs';

/** The file of Linux whose first number is the nanoseconds that the reading thread has run. */
const SCHEDULER_STATISTICS = '/proc/thread-self/schedstat';

/** @type {(() => { readonly user: number, readonly system: number }) | undefined} In microseconds. */
const threadCpuUsage = Reflect.get(process, 'threadCpuUsage');

/**
 * The processor time of this thread, in milliseconds. NaN if it is not available. Outside of Linux, Node provides it
 * from 22.19 and 23.9.
 */
export function threadMillis() {
  try {
    if (threadCpuUsage === undefined) return Number.parseInt(readFileSync(SCHEDULER_STATISTICS, 'latin1'), 10) / 1e6;
    const { user, system } = threadCpuUsage();
    return (user + system) / 1000;
  } catch {
    return Number.NaN;
  }
}
