import { Disk } from 'flydrive';
import type { FileDisk } from './file-disk.js';
import { FolderDriver } from './folder-driver.js';
import { openReceivedFiles } from './received-files.js';
import { asRefusal } from './storage-errors.js';

/** Contents in a folder of this machine, or in one that all nodes have mounted. */
export async function openFolderDisk(folder: string): Promise<FileDisk> {
  const received = await openReceivedFiles(folder);
  const driver = new FolderDriver(folder);
  const disk = new Disk(driver);
  return {
    ...received,
    name: `folder ${folder}`,
    publish: (key) => asRefusal(driver.take(received.pathOf(key), placeOf(key))),
    read: (key, range) => asRefusal(driver.getPart(placeOf(key), range)),
    remove: (key) => asRefusal(disk.delete(placeOf(key))),
    close() {},
  };
}

/** Folders with very many files are slow on some file systems. */
function placeOf(key: string): string {
  return `${key.slice(0, 2)}/${key}`;
}
