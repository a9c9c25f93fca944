import { randomBytes } from 'node:crypto';
import {
  type AuditChainOptions,
  type AuditKey,
  type Checkpoint,
  type CheckpointKey,
  createPostgresAuditSink,
  generateCheckpointKey,
  type PostgresAuditSink,
  parseAuditKey,
  parseCheckpointKey,
  type VerifyOptions,
  verifyAuditLog,
} from '@sallyport/audit-log/postgres';
import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { keepKey } from '../../storage/data-folder.js';
import type { Database } from '../../storage/database.js';
import { checkpointPlaces } from './checkpoint-places.js';
import { checkpointsOf, compareAuditLog } from './compare-audit-log.js';
import type { GivenCheckpoint } from './given-checkpoint.js';
import { recordIncident } from './incidents.js';
import type { LogVerification } from './verification.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Appends records in the transaction of the change that they describe, and reports rows that the database lost. */
    readonly auditSink: Pick<PostgresAuditSink, 'appendIf' | 'appendWithin' | 'lost'>;
  }
}

/**
 * The audit log in the server's own database, in a keyed chain with signed checkpoints (AUD-4, AUD-6, AUD-12). In
 * production the preflight has compared it with its newest checkpoint before; in development a difference is a warning
 * (AUD-9).
 */
export async function openAuditSink(
  app: App,
  config: Config,
  database: Pick<Database, 'orm'>,
): Promise<PostgresAuditSink> {
  const { log } = app;
  const chain = await auditChain(config, database);
  const keys = await checkpointKeys(config);
  if (config.profile === 'development') {
    const found = await compareAuditLog(config, {
      ...chain,
      publicKeys: [keys.checkpointKey.publicKey, ...keys.publicKeys],
    });
    if (found !== null && found.missing !== null) {
      log.warn({ missing: found.missing }, `${found.detail} Production would refuse to start.`);
    }
  }
  return createPostgresAuditSink({
    ...chain,
    ...keys,
    checkpoint: await checkpointPlaces(config, log),
    log,
    onIncident: (incident) => recordIncident(app, incident),
  });
}

/** The key that signs checkpoints, and the public halves of earlier ones. Development generates a missing key once. */
export async function checkpointKeys(
  config: Config,
): Promise<{ readonly checkpointKey: CheckpointKey; readonly publicKeys: readonly string[] }> {
  const given = config['audit.checkpoint-key'];
  const checkpointKey = given === null ? await keepDevelopmentCheckpointKey(config) : parseCheckpointKey(given);
  return { checkpointKey, publicKeys: config['audit.previous-checkpoint-keys'] };
}

function keepDevelopmentCheckpointKey(config: Config): Promise<CheckpointKey> {
  const make = () => generateCheckpointKey('development/audit').privateKey;
  return keepKey(config['data-dir'], 'audit-checkpoint-key', make, parseCheckpointKey);
}

/**
 * The database and the keys of the audit chain. The keys come from the environment. Development generates missing keys
 * once and keeps them in the data folder.
 */
export async function auditChain(config: Config, database: Pick<Database, 'orm'>): Promise<AuditChainOptions> {
  return {
    database: database.orm,
    key: config['audit.chain-key'] ?? (await keepDevelopmentKey(config)),
    previousKeys: config['audit.previous-chain-keys'] ?? [],
  };
}

/**
 * Verifies the whole log with the keys of the server, against the checkpoints of SERVICE_AUDIT_CHECKPOINT_FILE.
 *
 * @param given a checkpoint of the client, whose signature was verified. If another key signed it, that key proves this
 * checkpoint and nothing else.
 */
export async function verifyOwnLog(
  config: Config,
  database: Pick<Database, 'orm'>,
  onProgress: NonNullable<VerifyOptions['onProgress']>,
  given: GivenCheckpoint | null = null,
): Promise<LogVerification> {
  const chain = await auditChain(config, database);
  const publicKeys = await checkpointPublicKeys(config);
  const file = config['audit.checkpoint-file'];
  const { checkpoint = null, publicKey = null } = given ?? {};
  const verify = (kept: NonNullable<VerifyOptions['kept']>) => {
    const checkpoints = withPauses(checkpointsWith(publicKey === null ? checkpoint : null, file), onProgress);
    return verifyAuditLog({ ...chain, publicKeys, checkpoints, kept, onProgress });
  };
  if (checkpoint === null || publicKey === null) {
    const own = await verify([]);
    return { ...own, isBroken: !own.intact };
  }
  const found = await verify([{ checkpoint, publicKey }]);
  // Findings of the log can't be told from those of the other key's checkpoint, so the log is verified without it.
  return { ...found, isBroken: !found.intact && !(await verify([])).intact };
}

/** The public keys of the server's own checkpoints. */
export async function checkpointPublicKeys(config: Config): Promise<readonly string[]> {
  const { checkpointKey, publicKeys } = await checkpointKeys(config);
  return [checkpointKey.publicKey, ...publicKeys];
}

async function* checkpointsWith(given: Checkpoint | null, file: string | null): AsyncGenerator<Checkpoint> {
  if (given !== null) yield given;
  if (file !== null) yield* checkpointsOf(file);
}

/** The number of checkpoints between two pauses. Verifying them takes some 20 ms. */
const CHECKPOINTS_AT_ONCE = 200;

/** Verifying a long file of checkpoints takes minutes. As with rows, it pauses for requests, and can be ended. */
async function* withPauses(
  checkpoints: AsyncIterable<Checkpoint>,
  onProgress: NonNullable<VerifyOptions['onProgress']>,
): AsyncGenerator<Checkpoint> {
  let read = 0;
  for await (const checkpoint of checkpoints) {
    yield checkpoint;
    read += 1;
    if (read % CHECKPOINTS_AT_ONCE === 0) await onProgress({ rows: 0, sequence: 0, lastSequence: 0, faults: 0 });
  }
}

function keepDevelopmentKey(config: Config): Promise<AuditKey> {
  const make = () => `development:${randomBytes(32).toString('hex')}`;
  return keepKey(config['data-dir'], 'audit-chain-key', make, parseAuditKey);
}
