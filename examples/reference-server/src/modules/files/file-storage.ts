import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../config/config.js';
import type { Database } from '../../storage/database.js';
import type { FileDisk } from './file-disk.js';
import { createFileRecords } from './file-records.js';
import { openFolderDisk } from './folder-disk.js';
import { createStoredFiles, type StoredFiles } from './stored-files.js';

export interface FileStorageOptions {
  readonly config: Config;
  readonly database: Pick<Database, 'orm' | 'name'>;
  /** Default: from the configuration. Closed with the app. */
  readonly disk?: FileDisk;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly storedFiles: StoredFiles;
  }
}

/**
 * In milliseconds. Longer than any upload takes (a request has at most half an hour): older uploads were left by a
 * crash.
 */
const LEFTOVER_MILLIS = 3_600_000;

/** Interval between sweeps, in milliseconds. */
const SWEEP_MILLIS = 600_000;

/** The stored files. */
async function fileStoragePlugin(
  app: FastifyInstance,
  { config, database, ...given }: FileStorageOptions,
): Promise<void> {
  const disk = given.disk ?? (await openDisk(config));
  app.addHook('onClose', async () => disk.close());
  const isOwnFolder = config['storage.s3.bucket'] === null && config['storage.dir'] === null;
  if (config.nodes > 1 && isOwnFolder) {
    app.log.warn('several nodes store files in their own data folders: configure a shared folder or a bucket');
  }
  const files = createStoredFiles({
    records: createFileRecords(database),
    disk,
    onLeftover: (err) => app.log.warn({ err }, 'a file could not be removed completely; the next sweep tries again'),
  });
  app.decorate('storedFiles', files);

  async function sweep(olderThanMillis: number): Promise<void> {
    await files
      .sweep(olderThanMillis)
      .catch((err: unknown) => app.log.warn({ err }, 'incomplete uploads could not be removed'));
  }
  // Only one process uses the embedded database, so every unfinished upload is left from an earlier run.
  const atStart = database.name === 'embedded' ? 0 : LEFTOVER_MILLIS;
  app.addHook('onReady', () => sweep(atStart));
  const timer = setInterval(() => sweep(LEFTOVER_MILLIS), SWEEP_MILLIS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

async function openDisk(config: Config): Promise<FileDisk> {
  const folder = resolve(config['storage.dir'] ?? join(config['data-dir'], 'files'));
  const bucket = config['storage.s3.bucket'];
  if (bucket === null) return openFolderDisk(folder);
  const [accessKeyId, secretAccessKey] = [config['storage.s3.access-key-id'], config['storage.s3.secret-access-key']];
  // The S3 client is large. Load it only when it is used.
  const { openS3Disk } = await import('./s3-disk.js');
  return openS3Disk({
    folder,
    bucket,
    region: config['storage.s3.region'],
    endpoint: config['storage.s3.endpoint'],
    pathStyle: config['storage.s3.path-style'],
    credentials: accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey },
  });
}

export const fileStorage = fp(fileStoragePlugin, {
  fastify: '5.x',
  name: 'file-storage',
});
