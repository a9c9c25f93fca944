import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Whether this system tells what other processes hold: Linux. */
export const tellsResources: boolean = existsSync('/proc/self/fd');

export interface ProcessResources {
  readonly rssBytes: number;
  /** Open files, sockets and the like. */
  readonly descriptors: number;
}

/** What a process holds at this moment, as the kernel counts it. */
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
