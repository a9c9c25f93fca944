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
        finding: `SERVICE_STORAGE_S3_${property === 'storage.s3.access-key-id' ? 'ACCESS_KEY_ID' : 'SECRET_ACCESS_KEY'} is one that images and tutorials are set up with`,
        fix: 'make a user of its own for this bucket',
      };
    }
    if (endpoint?.startsWith('http:')) {
      const reach = reachOfUrl(endpoint);
      if (reach !== 'machine') {
        yield {
          id: 'storage.clear',
          severity: reach === 'private' ? 'warning' : 'error',
          finding: `SERVICE_STORAGE_S3_ENDPOINT is http: files travel in the clear ${reach === 'private' ? 'in a private network' : 'beyond it'}`,
          fix: 'use https',
        };
      }
    }
    if (config.nodes > 1 && config['storage.s3.bucket'] === null && config['storage.dir'] === null) {
      yield {
        id: 'storage.not-shared',
        severity: 'error',
        finding: 'several nodes keep files in their own data folders: what one stores the others do not have',
        fix: 'name a folder that all mount with SERVICE_STORAGE_DIR, or a bucket',
      };
    }
  },
});

/** Rights of the group and of everybody. */
const OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;

/** Folders hold keys, files and, with the embedded database, everything: nobody else may look. */
export const folders = settingCheck({
  id: 'folders',
  reads: ['data-dir', 'storage.dir', 'audit.checkpoint-file', 'database-url'],
  async *run({ config }) {
    const { 'data-dir': dataDir, 'storage.dir': storageDir, 'audit.checkpoint-file': file } = config;
    // Windows has no such modes.
    if (process.platform !== 'win32') {
      // The embedded database closes its folder at every start: whoever opened it again has read it.
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
      finding: 'SERVICE_AUDIT_CHECKPOINT_FILE lies in the data folder, beside the audit log that it should outlive',
      fix: 'put it on another machine, or at least on another disk',
    } satisfies PreflightItem;
  },
});

/** A folder that isn't there yet is made for the server alone. */
function* judgeFolder(variable: string, found: Stats | null, holdsDatabase: boolean): Iterable<PreflightItem> {
  if (found === null) return;
  if (!found.isDirectory()) {
    const finding = `${variable} is no folder`;
    yield { id: 'folders.none', severity: 'error', finding, fix: 'name a folder, or one that is to be made' };
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
      finding: 'the folder of SERVICE_AUDIT_CHECKPOINT_FILE is not there: no checkpoint could be written',
      fix: 'make it, or mount what it should be on',
    };
  }
  if (file !== null && process.platform !== 'win32' && (file.mode & 0o022) !== 0) {
    yield {
      id: 'folders.open-checkpoints',
      severity: 'error',
      finding: 'the file of SERVICE_AUDIT_CHECKPOINT_FILE can be written by other users of this machine',
      fix: 'chmod 600 it, and verify the audit log with a copy that nobody could write',
    };
  }
}

/** That nobody can cut the newest records off unseen needs a second place (AUD-6). */
export const checkpoints = settingCheck({
  id: 'checkpoints',
  reads: ['audit.checkpoint-file'],
  *run({ config }) {
    if (config['audit.checkpoint-file'] !== null) return;
    yield {
      id: 'checkpoints.log-only',
      severity: 'warning',
      finding:
        'SERVICE_AUDIT_CHECKPOINT_FILE is not set: the checkpoints of the audit log are lines of the log, and as safe as that',
      fix: 'name a file on another machine, or ship the log to one',
    };
  },
});

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    return null;
  }
}
