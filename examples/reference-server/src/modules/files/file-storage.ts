import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type Config, variableOf } from '../../config/config.js';
import type { ContentLedger, SweepAges } from '../../storage/content-ledger.js';
import type { ReadableDatabase } from '../../storage/database.js';
import { pathFault } from '../../storage/path-fault.js';
import type { FileDisk } from './file-disk.js';
import { createFileRecords } from './file-records.js';
import { openFolderDisk } from './folder-disk.js';
import { createStoredFiles, type StoredFiles } from './stored-files.js';

export interface FileStorageOptions {
  readonly config: Config;
  readonly database: ReadableDatabase;
  readonly contentLedger: ContentLedger;
  /** Default: from the configuration. Closed with the app. */
  readonly disk?: FileDisk;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly storedFiles: StoredFiles;
  }
}

/** Interval between sweeps, in milliseconds. */
const SWEEP_MILLIS = 60_000;

/** Only one process uses the embedded database, so at its start every upload is left from an earlier run. */
const NO_UPLOADS_RUN: SweepAges = { arrivingMillis: 0, abandonedMillis: 0 };

/** The stored files. */
async function fileStoragePlugin(
  app: FastifyInstance,
  { config, database, contentLedger, ...given }: FileStorageOptions,
): Promise<void> {
  const disk = given.disk ?? (await openDisk(config, folderOf(config)));
  app.addHook('onClose', async () => disk.close());
  const isOwnFolder = config['storage.s3.bucket'] === null && config['storage.dir'] === null;
  if (config.nodes > 1 && isOwnFolder) {
    app.log.warn('several nodes store files in their own data folders: configure a shared folder or a bucket');
  }
  const files = createStoredFiles({
    records: createFileRecords(database),
    ledger: contentLedger,
    disk,
    onLeftover: (err) => app.log.warn({ err }, 'a file could not be removed completely; the next sweep tries again'),
  });
  app.decorate('storedFiles', files);

  async function sweep(ages?: SweepAges): Promise<void> {
    await files.sweep(ages).catch((err: unknown) => app.log.warn({ err }, 'incomplete uploads could not be removed'));
  }
  const isEmbedded = config['database-url'] === null;
  app.addHook('onReady', () => sweep(isEmbedded ? NO_UPLOADS_RUN : undefined));
  const timer = setInterval(() => sweep(), SWEEP_MILLIS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

function folderOf(config: Config): string {
  return resolve(config['storage.dir'] ?? join(config['data-dir'], 'files'));
}

async function openDisk(config: Config, folder: string): Promise<FileDisk> {
  try {
    return await openDiskIn(config, folder);
  } catch (error) {
    throw pathFault(error, variableOf(config['storage.dir'] === null ? 'data-dir' : 'storage.dir'), folder);
  }
}

async function openDiskIn(config: Config, folder: string): Promise<FileDisk> {
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
