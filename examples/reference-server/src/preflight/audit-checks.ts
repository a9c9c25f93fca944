import { type AuditState, parseCheckpointKey } from '@sallyport/audit-log/postgres';
import { type Config, variableOf } from '../config/config.js';
import { reachOfUrl } from '../config/reach.js';
import { checkpointsOf, compareAuditLog, missingRows } from '../modules/audit-records/index.js';
import { type StoreCheck, settingCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';
import { isTestCredential } from './test-credentials.js';

/** Only checkpoints outside of the database show that the newest records are missing (AUD-6, AUD-12). */
export const checkpoints = settingCheck({
  id: 'checkpoints',
  reads: [
    'audit.checkpoint-file',
    'audit.witness.url',
    'audit.bucket.endpoint',
    'audit.bucket.access-key-id',
    'audit.bucket.secret-access-key',
  ],
  *run({ config }) {
    if (config['audit.checkpoint-file'] === null) {
      yield {
        id: 'checkpoints.log-only',
        severity: 'warning',
        finding:
          'SERVICE_AUDIT_CHECKPOINT_FILE is not set: nothing outside of the database shows that records are missing',
        fix: 'name a file on another machine; production requires one',
      };
    }
    for (const property of ['audit.witness.url', 'audit.bucket.endpoint'] as const) {
      const url = config[property];
      const reach = url?.startsWith('http:') ? reachOfUrl(url) : 'machine';
      if (reach === 'machine') continue;
      yield {
        id: 'checkpoints.clear',
        severity: reach === 'private' ? 'warning' : 'error',
        finding: `${variableOf(property)} is http: someone on the way can take checkpoints away`,
        fix: 'use https',
      };
    }
    for (const property of ['audit.bucket.access-key-id', 'audit.bucket.secret-access-key'] as const) {
      const value = config[property];
      if (value === null || !isTestCredential(value)) continue;
      yield {
        id: 'checkpoints.test-credentials',
        severity: 'error',
        finding: `${variableOf(property)} is a default of images and tutorials`,
        fix: 'create a separate user for this bucket, without the permission to delete',
      };
    }
  },
});

const ACCEPT = 'node dist/commands/audit.js accept-state';

/** Detects a log that was cut, or restored to an older state (AUD-9). */
export const auditLog: StoreCheck = {
  id: 'audit-log',
  tables: ['audit_records', 'audit_chain_heads'],
  async *run({ config, stores: { database }, areTablesMissing }) {
    const [key, signer, file] = [
      config['audit.chain-key'],
      config['audit.checkpoint-key'],
      config['audit.checkpoint-file'],
    ];
    if (database === null || key === null || signer === null || file === null) return;
    try {
      if (areTablesMissing) {
        yield* newLogItems(file);
        return;
      }
      const found = await compareAuditLog(config, {
        database: database.orm,
        key,
        previousKeys: config['audit.previous-chain-keys'] ?? [],
        publicKeys: [parseCheckpointKey(signer).publicKey, ...config['audit.previous-checkpoint-keys']],
      });
      if (found !== null) yield* stateItems(found, config['audit.loss-readiness']);
    } catch (error) {
      yield unreadable(error);
    }
  },
};

function* stateItems(
  { state, detail, lastSequence, missing }: AuditState,
  readiness: Config['audit.loss-readiness'],
): Iterable<PreflightItem> {
  if (state === 'unknown' && lastSequence > 0) {
    yield {
      id: 'audit-log.not-compared',
      severity: 'warning',
      finding: `SERVICE_AUDIT_CHECKPOINT_FILE has no checkpoint of this log, which ends at row ${lastSequence}: whether records are missing is unknown`,
      fix: 'nothing if the file is new; otherwise mount its file system, or name the earlier key in SERVICE_AUDIT_PREVIOUS_CHECKPOINT_KEYS',
    };
  }
  if (missing === null) return;
  yield {
    id: `audit-log.${state}`,
    // Rows that a failover lost prevent the start in the same way as readiness (AUD-15).
    severity: state === 'lost' && readiness === 'up' ? 'warning' : 'error',
    finding: `audit log: ${detail} ${missingRows(missing)}`,
    fix: `find out why, and connect the right database; if this is the state that you restored, accept it with: ${ACCEPT}`,
  };
}

/** Before the migration that creates it, there is no log. */
async function* newLogItems(file: string): AsyncIterable<PreflightItem> {
  let last = 0;
  for await (const { sequence } of checkpointsOf(file)) last = Math.max(last, sequence);
  if (last === 0) return;
  yield {
    id: 'audit-log.behind',
    severity: 'error',
    finding: `the database has no audit log yet, and SERVICE_AUDIT_CHECKPOINT_FILE has checkpoints of one with ${last} rows`,
    fix: 'connect the right database, or name another file for a new one',
  };
}

function unreadable(error: unknown): PreflightItem {
  const { code, name } = error as NodeJS.ErrnoException;
  return {
    id: 'audit-log.unreadable',
    severity: 'error',
    finding: `the audit log could not be compared with SERVICE_AUDIT_CHECKPOINT_FILE (${code ?? name})`,
    fix: 'make the file readable for the user of the server',
  };
}
