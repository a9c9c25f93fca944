import { execFileSync } from 'node:child_process';
import { chown, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system that can be filled and emptied. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all the space that is left, and keeps taking what becomes free, until `empty`. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

const BLOCK = Buffer.alloc(64 * 1024, 1);
const SMALL_BLOCK = Buffer.alloc(4096, 1);

/** Whether this process may mount: on Linux, as root. */
export const canMountDisks = process.platform === 'linux' && mayMount();

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', tmpdir()], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** @param owner of its folder, a user and group id. Default: this process. */
export async function mountSmallDisk(megabytes: number, owner?: { uid: number; gid: number }): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
  const unmount = () => execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
  process.once('exit', unmount);
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const filler = join(folder, 'filler');
  let timer: NodeJS.Timeout | undefined;

  /** Appends blocks until there is no space. */
  async function take(): Promise<void> {
    const file = await open(filler, 'a');
    try {
      for (const block of [BLOCK, SMALL_BLOCK]) {
        try {
          for (;;) await file.write(block);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    } finally {
      await file.close();
    }
  }

  return {
    folder,
    async fill() {
      await take();
      timer = setInterval(() => void take().catch(() => {}), 200);
    },
    async empty() {
      clearInterval(timer);
      await rm(filler, { force: true });
    },
    async close() {
      clearInterval(timer);
      process.off('exit', unmount);
      unmount();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
