import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { reachOfUrl } from '../config/reach.js';
import { settingCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';
import { isTestCredential } from './test-credentials.js';

export const storage = settingCheck({
  id: 'storage',
  reads: [
    'nodes',
    'storage.dir',
    'storage.s3.bucket',
    'storage.s3.endpoint',
    'storage.s3.access-key-id',
    'storage.s3.secret-access-key',
  ],
  *run({ config }) {
    const endpoint = config['storage.s3.endpoint'];
    for (const property of ['storage.s3.access-key-id', 'storage.s3.secret-access-key'] as const) {
      const value = config[property];
      if (value === null || !isTestCredential(value)) continue;
      yield {
        id: 'storage.test-credentials',
        severity: 'error',
        finding: `SERVICE_STORAGE_S3_${property === 'storage.s3.access-key-id' ? 'ACCESS_KEY_ID' : 'SECRET_ACCESS_KEY'} is a default of images and tutorials`,
        fix: 'create a separate user for this bucket',
      };
    }
    if (endpoint?.startsWith('http:')) {
      const reach = reachOfUrl(endpoint);
      if (reach !== 'machine') {
        yield {
          id: 'storage.clear',
          severity: reach === 'private' ? 'warning' : 'error',
          finding: `SERVICE_STORAGE_S3_ENDPOINT is http: files travel unencrypted ${reach === 'private' ? 'in a private network' : 'beyond it'}`,
          fix: 'use https',
        };
      }
    }
    if (config.nodes > 1 && config['storage.s3.bucket'] === null && config['storage.dir'] === null) {
      yield {
        id: 'storage.not-shared',
        severity: 'error',
        finding: 'several nodes store files in their own data folders: each node lacks the files of the others',
        fix: 'set SERVICE_STORAGE_DIR to a folder that all nodes mount, or configure a bucket',
      };
    }
  },
});

/** Permissions of group and others. */
const OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;

/** Folders contain keys, files and possibly the embedded database. Other users must not have access. */
export const folders = settingCheck({
  id: 'folders',
  reads: ['data-dir', 'storage.dir', 'audit.checkpoint-file', 'database-url'],
  async *run({ config }) {
    const { 'data-dir': dataDir, 'storage.dir': storageDir, 'audit.checkpoint-file': file } = config;
    // Windows has no such modes.
    if (process.platform !== 'win32') {
      // The embedded database restricts its folder at every start. If it is open now, it was opened since, and may have
      // been read.
      const holdsDatabase = (await statOf(join(dataDir, 'pglite'))) !== null;
      yield* judgeFolder('SERVICE_DATA_DIR', await statOf(dataDir), holdsDatabase);
      if (storageDir !== null) yield* judgeFolder('SERVICE_STORAGE_DIR', await statOf(storageDir), false);
    }
    if (file === null) return;
    yield* judgeCheckpoints(await statOf(file), await statOf(dirname(resolve(file))));
    const isBeside = !relative(resolve(dataDir), resolve(file)).startsWith('..');
    if (config['database-url'] !== null || !isBeside) return;
    yield {
      id: 'folders.checkpoints-beside',
      severity: 'warning',
      finding: 'SERVICE_AUDIT_CHECKPOINT_FILE is in the data folder, next to the audit log that it must outlive',
      fix: 'put it on another machine, or at least on another disk',
    } satisfies PreflightItem;
  },
});

/** A missing folder is created for the server's user only. */
function* judgeFolder(variable: string, found: Stats | null, holdsDatabase: boolean): Iterable<PreflightItem> {
  if (found === null) return;
  if (!found.isDirectory()) {
    const finding = `${variable} is not a folder`;
    yield { id: 'folders.none', severity: 'error', finding, fix: 'name an existing folder, or one to be created' };
    return;
  }
  if ((found.mode & OTHERS) === 0) return;
  const isWritable = (found.mode & WRITABLE_BY_ALL) !== 0;
  const mode = (found.mode & 0o7777).toString(8);
  yield {
    id: 'folders.open',
    severity: isWritable || holdsDatabase ? 'error' : 'warning',
    finding: `the folder of ${variable} is open to other users of this machine (mode ${mode})${holdsDatabase ? ', with the database in it' : ''}`,
    fix: 'chmod 700 it',
  };
}

function* judgeCheckpoints(file: Stats | null, folder: Stats | null): Iterable<PreflightItem> {
  if (!folder?.isDirectory()) {
    yield {
      id: 'folders.no-checkpoints',
      severity: 'error',
      finding: 'the folder of SERVICE_AUDIT_CHECKPOINT_FILE does not exist: no checkpoint could be written',
      fix: 'create it, or mount its file system',
    };
  }
  if (file !== null && process.platform !== 'win32' && (file.mode & 0o022) !== 0) {
    yield {
      id: 'folders.open-checkpoints',
      severity: 'error',
      finding: 'the file of SERVICE_AUDIT_CHECKPOINT_FILE can be written by other users of this machine',
      fix: 'set its mode to 600, and verify the audit log with a copy that nobody could modify',
    };
  }
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    return null;
  }
}
