import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { type PostgresProcess, startPostgresProcess } from '../../../../scripts/postgres-process.js';
import {
  type AcceptedState,
  type AuditIncident,
  type AuditVerification,
  acceptAuditState,
  type Checkpoint,
  createAuditTables,
  createPostgresAuditSink,
  type PostgresAuditSink,
  verifyAuditLog,
} from '../../src/postgres.js';
import { makeCheckpointKey, makeKey } from '../records.js';

export const key = makeKey();
export const checkpointKey = makeCheckpointKey();
export const publicKeys = [checkpointKey.publicKey];

/** A log of two nodes on a PostgreSQL that is restarted and fails over. */
export interface RestartedLog {
  readonly server: PostgresProcess;
  readonly database: PostgresJsDatabase;
  readonly nodes: readonly PostgresAuditSink[];
  /** The checkpoints of all nodes, and what they noticed. */
  readonly delivered: Checkpoint[];
  readonly incidents: readonly AuditIncident[];
  /** Opens the next node, on connections of its own. */
  open(options?: object): PostgresAuditSink;
  losses(): readonly AuditIncident[];
  verify(): Promise<AuditVerification>;
  accept(options?: object): Promise<AcceptedState>;
  /** Lets a standby take over. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

export async function startRestartedLog(): Promise<RestartedLog> {
  const server = await startPostgresProcess();
  // Of an ordinary role, which owns its tables and nothing else.
  await administrate("create role plain login password 'plain'", 'create schema plain authorization plain');
  const url = Object.assign(new URL(server.url), { username: 'plain', password: 'plain' });
  const clients = [1, 2].map(() =>
    postgres(url.href, { max: 3, fetch_types: false, connect_timeout: 2, backoff: () => 0.05, onnotice: () => {} }),
  );
  const database = drizzle(clients[0] as postgres.Sql);
  await createAuditTables(database);
  const nodes: PostgresAuditSink[] = [];
  const delivered: Checkpoint[] = [];
  const incidents: AuditIncident[] = [];
  const checkpoint = (made: Checkpoint) => void delivered.push(made);

  async function administrate(...statements: readonly string[]): Promise<void> {
    const admin = postgres(server.url, { max: 1, onnotice: () => {} });
    for (const statement of statements) await admin.unsafe(statement);
    await admin.end();
  }

  return {
    ...{ server, database, nodes, delivered, incidents },
    open(options = {}) {
      const sink = createPostgresAuditSink({
        database: drizzle(clients[nodes.length] as postgres.Sql),
        ...{ key, checkpointKey, checkpoint, sweepSeconds: 1, timeoutMillis: 5000 },
        onIncident: (incident) => void incidents.push(incident),
        ...options,
      });
      nodes.push(sink);
      return sink;
    },
    losses: () => incidents.filter(({ kind }) => kind === 'rows-lost'),
    verify: () => verifyAuditLog({ database, key, publicKeys, checkpoints: delivered }),
    accept: (options = {}) =>
      acceptAuditState({ database, key, checkpointKey, checkpoint, checkpoints: [...delivered], ...options }),
    promote: () => administrate('select pg_promote()'),
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
      await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
      await server.stop();
    },
  };
}
