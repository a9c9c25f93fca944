import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import type { Site } from './scenarios/scenario.js';
import { canMountDisks, mountSmallDisk, type SmallDisk } from './small-disk.js';

/** More than an empty database and the load take; the rest is filled. */
const DISK_MEGABYTES = 128;

/** PostgreSQL runs as `nobody` where the tests run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

const SPACE = 'small_disk';

/**
 * Moves the database, still empty, to a tablespace on a small disk: the log of transactions stays on the other one, so
 * that a full disk fails statements and does not stop PostgreSQL. Null: nothing can be mounted, or PostgreSQL is
 * shared.
 */
export async function openDiskFor({
  databaseUrl,
  postgres: own,
}: Pick<Site, 'databaseUrl' | 'postgres'>): Promise<{ disk: SmallDisk; close(): Promise<void> } | null> {
  if (own === null || !canMountDisks) return null;
  const disk = await mountSmallDisk(DISK_MEGABYTES, NOBODY);
  const folder = join(disk.folder, 'tables');
  await mkdir(folder);
  await chown(folder, NOBODY.uid, NOBODY.gid);
  const database = new URL(databaseUrl).pathname.slice(1);
  const sql = postgres(Object.assign(new URL(databaseUrl), { pathname: '/postgres' }).href, {
    max: 1,
    onnotice: () => {},
  });
  await sql.unsafe(`create tablespace ${SPACE} location '${folder}'`);
  await sql.unsafe(`alter database "${database}" set tablespace ${SPACE}`);
  return {
    disk,
    async close() {
      await disk.empty();
      await sql.unsafe(`drop database "${database}" with (force)`);
      await sql.unsafe(`drop tablespace ${SPACE}`);
      await sql.end();
      await disk.close();
    },
  };
}
