import { randomBytes } from 'node:crypto';
import {
  type AuditChainOptions,
  type CheckpointKey,
  createPostgresAuditSink,
  generateCheckpointKey,
  type PostgresAuditSink,
  parseAuditKey,
  parseCheckpointKey,
} from '@sallyport/audit-log/postgres';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/config.js';
import { keepSecret, openDataFolder } from '../../storage/data-folder.js';
import type { Database } from '../../storage/database.js';
import { checkpointPlaces } from './checkpoint-places.js';
import { compareAuditLog } from './compare-audit-log.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Appends records in the transaction of the change that they describe. */
    readonly auditSink: Pick<PostgresAuditSink, 'appendIf' | 'appendWithin'>;
  }
}

/**
 * The audit log in the server's own database, in a keyed chain with signed checkpoints (AUD-4, AUD-6, AUD-12). In
 * production the preflight has compared it with its newest checkpoint before; in development a difference is a warning
 * (AUD-9).
 */
export async function openAuditSink(
  config: Config,
  database: Pick<Database, 'orm'>,
  log: FastifyBaseLogger,
): Promise<PostgresAuditSink> {
  const chain = await auditChain(config, database);
  const keys = await checkpointKeys(config);
  if (config.profile === 'development') {
    const found = await compareAuditLog(config, {
      ...chain,
      publicKeys: [keys.checkpointKey.publicKey, ...keys.publicKeys],
    });
    if (found?.state === 'behind' || found?.state === 'different') {
      log.warn({ missing: found.missing }, `${found.detail} Production would refuse to start.`);
    }
  }
  return createPostgresAuditSink({ ...chain, ...keys, checkpoint: checkpointPlaces(config, log), log });
}

/** The key that signs checkpoints, and the public halves of earlier ones. Development generates a missing key once. */
export async function checkpointKeys(
  config: Config,
): Promise<{ readonly checkpointKey: CheckpointKey; readonly publicKeys: readonly string[] }> {
  const text = config['audit.checkpoint-key'] ?? (await keepDevelopmentCheckpointKey(config));
  return { checkpointKey: parseCheckpointKey(text), publicKeys: config['audit.previous-checkpoint-keys'] };
}

async function keepDevelopmentCheckpointKey(config: Config): Promise<string> {
  const folder = await openDataFolder(config['data-dir']);
  return keepSecret(folder, 'audit-checkpoint-key', () => generateCheckpointKey('development/audit').privateKey);
}

/**
 * The database and the keys of the audit chain. The keys come from the environment. Development generates missing keys
 * once and keeps them in the data folder.
 */
export async function auditChain(config: Config, database: Pick<Database, 'orm'>): Promise<AuditChainOptions> {
  return {
    database: database.orm,
    key: config['audit.chain-key'] ?? parseAuditKey(await keepDevelopmentKey(config)),
    previousKeys: config['audit.previous-chain-keys'] ?? [],
  };
}

async function keepDevelopmentKey(config: Config): Promise<string> {
  const folder = await openDataFolder(config['data-dir']);
  return keepSecret(folder, 'audit-chain-key', () => `development:${randomBytes(32).toString('hex')}`);
}
