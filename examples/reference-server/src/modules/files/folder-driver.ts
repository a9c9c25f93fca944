import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { FSDriver } from 'flydrive/drivers/fs';
import type { ByteRange } from './file-disk.js';

/**
 * flydrive's driver of a folder, with parts of files, files for their owner only, and bytes that a power cut leaves
 * there.
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
   * Writes a new file, or leaves none. The original rejects as soon as the content breaks, while the file may still be
   * on its way to be opened: deleted then, it would come back. It also overwrites.
   */
  override async putStream(key: string, content: Readable): Promise<void> {
    const path = this.pathOf(key);
    const file = await open(path, 'wx', 0o600);
    try {
      // Where the disk fails, the content is whole: whose it is decides what becomes of it.
      await writeFile(file, content.iterator({ destroyOnReturn: false }));
      await file.sync();
    } catch (error) {
      // On a full disk deleting works.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Moves a file of the same file system here: atomic, unlike `moveFromFs` of flydrive, which copies. */
  async take(source: string, key: string): Promise<void> {
    const path = this.pathOf(key);
    const folder = dirname(path);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(source, path);
    await flushFolder(folder);
    // A new folder is safe when the one that it is in is.
    if (made !== undefined) await flushFolder(this.#root);
  }

  /** Rejects before the first byte where there is no such file. */
  async getPart(key: string, { first, last }: ByteRange): Promise<Readable> {
    const file = await open(this.pathOf(key), 'r');
    return createReadStream('', { fd: file, start: first, end: last });
  }
}

/** The name of a file is safe from a power cut when its folder is. On Windows a folder can't be opened for that. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
