import { open, rm } from 'node:fs/promises';

/** A file that did not exist before. */
export interface NewFile {
  write(text: string): Promise<void>;
  /** Removes it if nothing was written. */
  close(): Promise<void>;
}

/**
 * Opens it before the work whose result it takes, and never replaces what was written by another run. It may name the
 * holes of a deployment, so it is for its owner alone.
 *
 * @throws Error if it exists, or cannot be made
 */
export async function openNewFile(path: string): Promise<NewFile> {
  const file = await open(path, 'wx', 0o600);
  let isWritten = false;
  return {
    async write(text) {
      await file.writeFile(text);
      isWritten = true;
    },
    async close() {
      await file.close();
      if (!isWritten) await rm(path, { force: true });
    },
  };
}
