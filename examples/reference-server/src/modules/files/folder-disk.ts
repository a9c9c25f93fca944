import { Disk } from 'flydrive';
import { asRefusal } from './errors.js';
import type { FileDisk } from './file-disk.js';
import { FolderDriver } from './folder-driver.js';
import { openReceivedFiles } from './received-files.js';

/** Stores contents in a local folder, or in one that all nodes mount. */
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

/** Spreads files over subfolders: some file systems are slow with very many files in one folder. */
function placeOf(key: string): string {
  return `${key.slice(0, 2)}/${key}`;
}
