import { access, chmod, constants, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Disk } from 'flydrive';
import { makeFolder } from '../../storage/data-folder.js';
import { asRefusal, storageRefusal } from './errors.js';
import type { FileDisk, ReceivedContent } from './file-disk.js';
import { FolderDriver } from './folder-driver.js';

/** On the same file system as published contents, so that publishing is a rename. */
const RECEIVED_FOLDER = 'incoming';

/** Received contents in a local folder, for every kind of disk. */
export interface ReceivedFiles extends Pick<FileDisk, 'receive' | 'drop' | 'sweepReceived' | 'check'> {
  /** The path of a content between `receive` and `drop`. */
  pathOf(key: string): string;
}

export async function openReceivedFiles(storageFolder: string): Promise<ReceivedFiles> {
  const folder = join(storageFolder, RECEIVED_FOLDER);
  await makeFolder(folder);
  await chmod(storageFolder, 0o700);
  const driver = new FolderDriver(folder);
  const disk = new Disk(driver);

  return {
    pathOf: (key) => driver.pathOf(key),

    async receive(key, content: Readable) {
      let broken: unknown;
      content.once('error', (error: unknown) => {
        broken = error;
      });
      try {
        await disk.putStream(key, content);
        return await openContent(driver.pathOf(key));
      } catch (error) {
        // A client that disconnects is not a disk failure.
        throw broken ?? storageRefusal(error);
      }
    },

    drop: (key) => asRefusal(disk.delete(key)),

    check: () => asRefusal(access(folder, constants.W_OK | constants.X_OK)),

    async sweepReceived(olderThanMillis) {
      const names = await readdir(folder);
      const swept = await Promise.all(names.map((name) => removeOld(join(folder, name), olderThanMillis)));
      return swept.filter((isSwept) => isSwept).length;
    },
  };
}

/** Uses the time of the last write, so that an upload in progress is never old. */
async function removeOld(path: string, olderThanMillis: number): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  if (Math.floor(mtimeMs) > Date.now() - olderThanMillis) return false;
  await rm(path, { force: true });
  return true;
}

async function openContent(path: string): Promise<ReceivedContent> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    size,
    async read(position, length) {
      const room = Math.max(0, Math.min(length, size - position));
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(room), length: room, position });
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}
