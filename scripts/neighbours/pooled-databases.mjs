// PostgreSQL, and PgBouncer before it in transaction mode: an empty database for each package.
import postgres from 'postgres';
import { startPgbouncerProcess } from '../pgbouncer-process.ts';
import { poolerOf } from '../pooler-ways.ts';
import { startPostgresProcess } from '../postgres-process.ts';

export async function startPooledDatabases() {
  const server = await startPostgresProcess('-c', 'fsync=off', '-c', 'max_connections=300');
  const { mode, lines } = poolerOf('transaction');
  const pooler = await startPgbouncerProcess(server.url, mode, ...lines);
  let count = 0;
  return {
    async create() {
      count += 1;
      const admin = postgres(server.url, { max: 1 });
      await admin.unsafe(`create database neighbour_${count}`);
      await admin.end();
      const pathname = `/neighbour_${count}`;
      return {
        direct: Object.assign(new URL(server.url), { pathname }).href,
        pooled: Object.assign(new URL(pooler.url), { pathname }).href,
      };
    },
    async stop() {
      await pooler.stop();
      await server.stop();
    },
  };
}
