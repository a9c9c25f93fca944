import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileDisk } from '../../../src/modules/files/file-disk.js';
import { openFolderDisk } from '../../../src/modules/files/folder-disk.js';
import { openS3Disk } from '../../../src/modules/files/s3-disk.js';
import { type ObjectStore, openObjectStore } from './object-store.js';

const content = randomBytes(300_000);
const newKey = () => randomBytes(16).toString('hex');

describe.each(['folder', 'S3'] as const)('a disk of stored files: %s', (kind) => {
  let folder: string;
  let objects: ObjectStore;
  let disk: FileDisk;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-disk-'));
    objects = await openObjectStore();
    disk = kind === 'folder' ? await openFolderDisk(folder) : await openS3Disk(s3Options());
  });
  afterAll(async () => {
    disk.close();
    await objects.close();
    await rm(folder, { recursive: true, force: true });
  });

  const s3Options = () => ({
    folder,
    bucket: 'files',
    region: 'us-east-1',
    endpoint: objects.environment.SERVICE_STORAGE_S3_ENDPOINT ?? '',
    pathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  });

  /** Every file of the disk. */
  async function files(): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const local = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    return [...local, ...(await objects.keys())];
  }

  async function received(key: string): Promise<void> {
    await (await disk.receive(key, Readable.from([content]))).close();
  }

  it('UPL-8 content can be read whole and in parts, before and after it is published', async () => {
    const key = newKey();
    const incoming = await disk.receive(key, Readable.from([content.subarray(0, 9), content.subarray(9)]));
    expect(incoming.size).toBe(content.length);
    expect(await incoming.read(5, 10)).toEqual(content.subarray(5, 15));
    expect(await incoming.read(content.length - 3, 10)).toEqual(content.subarray(-3));
    expect(await incoming.read(content.length + 3, 10)).toHaveLength(0);
    await incoming.close();
    await expect(disk.read(key, { first: 0, last: 0 })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await disk.publish(key);
    const part = async (first: number, last: number) => buffer(await disk.read(key, { first, last }));
    expect((await part(0, content.length - 1)).equals(content)).toBe(true);
    expect(await part(7, 7)).toEqual(content.subarray(7, 8));
    expect(await part(100, 999)).toEqual(content.subarray(100, 1000));
    await disk.remove(key);
    expect(await files()).toEqual([]);
  });

  it('UPL-8 content that breaks off leaves nothing, and the caller gets its error', async () => {
    const gone = new Error('the client went away');
    async function* broken() {
      yield content;
      throw gone;
    }
    await expect(disk.receive(newKey(), Readable.from(broken()))).rejects.toBe(gone);
    const early = new Readable({ read() {} });
    const receiving = disk.receive(newKey(), early);
    early.destroy(gone);
    await expect(receiving).rejects.toBe(gone);
    expect(await files()).toEqual([]);
  });

  it('UP-19 a second content under the same key is refused, and the first is unchanged', async () => {
    const key = newKey();
    await received(key);
    await expect(disk.receive(key, Readable.from(['other']))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await disk.publish(key);
    expect((await buffer(await disk.read(key, { first: 0, last: content.length - 1 }))).equals(content)).toBe(true);
    await disk.remove(key);
  });

  it('UPL-8 dropping and removing missing content are not errors', async () => {
    await expect(disk.drop(newKey())).resolves.toBeUndefined();
    await expect(disk.remove(newKey())).resolves.toBeUndefined();
  });

  it('UPL-8 the sweep deletes old incoming content only', async () => {
    const [old, young] = [newKey(), newKey()];
    await received(old);
    await received(young);
    const path = join(folder, 'incoming', old);
    const hourAgo = Date.now() / 1000 - 3601;
    await utimes(path, hourAgo, hourAgo);
    expect(await disk.sweepReceived(3_600_000)).toBe(1);
    expect(await files()).toEqual([young]);
    expect(await disk.sweepReceived(0)).toBe(1);
    expect(await files()).toEqual([]);
  });

  it('UPL-7 only the user of the server can read the folder', async () => {
    await received(newKey());
    const [name = ''] = await readdir(join(folder, 'incoming'));
    const modes = [folder, join(folder, 'incoming'), join(folder, 'incoming', name)].map(async (path) =>
      ((await stat(path)).mode & 0o777).toString(8),
    );
    expect(await Promise.all(modes)).toEqual(['700', '700', '600']);
    await disk.sweepReceived(0);
  });
});
