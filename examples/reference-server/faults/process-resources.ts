import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Whether the system reports the resources of other processes (Linux). */
export const tellsResources: boolean = existsSync('/proc/self/fd');

export interface ProcessResources {
  readonly rssBytes: number;
  /** Open file descriptors, including sockets. */
  readonly descriptors: number;
}

/** Reads the current resources of a process from the kernel. */
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
