import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { FSDriver } from 'flydrive/drivers/fs';
import type { ByteRange } from './file-disk.js';

/**
 * flydrive's folder driver, with byte ranges, files that only their owner can read, and writes that survive a power
 * failure.
 */
export class FolderDriver extends FSDriver {
  readonly #root: string;

  constructor(root: string) {
    super({ location: root, visibility: 'private' });
    this.#root = root;
  }

  pathOf(key: string): string {
    return join(this.#root, key);
  }

  /**
   * Writes a new file, or leaves none. flydrive's own method rejects as soon as the content breaks, while the file may
   * still be opening, so a deleted file could reappear. It also overwrites existing files.
   */
  override async putStream(key: string, content: Readable): Promise<void> {
    const path = this.pathOf(key);
    const file = await open(path, 'wx', 0o600);
    try {
      // Keep the content open after a disk failure. Its owner decides what happens to it.
      await writeFile(file, content.iterator({ destroyOnReturn: false }));
      await file.sync();
    } catch (error) {
      // Deleting works even on a full disk.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Moves a file within one file system. Atomic, unlike `moveFromFs` of flydrive, which copies. */
  async take(source: string, key: string): Promise<void> {
    const path = this.pathOf(key);
    const folder = dirname(path);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(source, path);
    await flushFolder(folder);
    // A new folder is durable once its parent folder is flushed.
    if (made !== undefined) await flushFolder(this.#root);
  }

  /** Rejects before the first byte if there is no such file. */
  async getPart(key: string, { first, last }: ByteRange): Promise<Readable> {
    const file = await open(this.pathOf(key), 'r');
    return createReadStream('', { fd: file, start: first, end: last });
  }
}

/** Flushes a folder: the name of a file is durable once its folder is flushed. Windows can't open a folder for this. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
