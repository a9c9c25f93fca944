import { randomBytes } from 'node:crypto';
import {
  type AuditChainOptions,
  createFileCheckpoint,
  createLogCheckpoint,
  createPostgresAuditSink,
  type PostgresAuditSink,
  parseAuditKey,
} from '@sallyport/audit-log/postgres';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/config.js';
import { keepSecret, openDataFolder } from '../../storage/data-folder.js';
import type { Database } from '../../storage/database.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Appends records in the transaction of the change that they describe. */
    readonly auditSink: Pick<PostgresAuditSink, 'appendIf' | 'appendWithin'>;
  }
}

/** The audit log in the server's own database, in a keyed chain (AUD-4, AUD-6). */
export async function openAuditSink(
  config: Config,
  database: Pick<Database, 'orm'>,
  log: FastifyBaseLogger,
): Promise<PostgresAuditSink> {
  const file = config['audit.checkpoint-file'];
  return createPostgresAuditSink({
    ...(await auditChain(config, database)),
    checkpoint: file === null ? createLogCheckpoint(log) : createFileCheckpoint(file),
    log,
  });
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
