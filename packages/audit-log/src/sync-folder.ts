import { open } from 'node:fs/promises';

/**
 * Makes the entry of a new file in its folder durable. Otherwise, the file could be missing after a power failure.
 * Windows can't sync folders and doesn't need it.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
