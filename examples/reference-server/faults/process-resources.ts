import { readdir, readFile } from 'node:fs/promises';

export interface ProcessResources {
  readonly rssBytes: number;
  /** Open file descriptors, including sockets. */
  readonly descriptors: number;
}

/** Reads the current resources of a process from the kernel (Linux). */
export async function readResources(pid: number): Promise<ProcessResources> {
  const [status, descriptors] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readdir(`/proc/${pid}/fd`),
  ]);
  return { rssBytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024, descriptors: descriptors.length };
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** The clock ticks of `/proc` in a second, on every Linux. */
const TICKS_PER_SECOND = 100;

/** Reads the processor time of a process, all threads, in seconds. */
export async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may contain spaces. utime and stime are the 14th and 15th field.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}
