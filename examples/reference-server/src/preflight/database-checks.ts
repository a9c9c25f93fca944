import { sql } from 'drizzle-orm';
import { type Reach, reachOf, reachOfUrl } from '../config/reach.js';
import type { Database } from '../storage/database.js';
import type { MigrationState } from '../storage/migrations.js';
import type { SchemaObstacle } from '../storage/schema-obstacles.js';
import { clockItems } from './clock-skew.js';
import type { StoreCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';

type Orm = Database['orm'];

/** Checks that query PostgreSQL. */
export const database: StoreCheck = {
  id: 'database',
  tables: [],
  async *run({ config, stores: { database }, now }) {
    const url = config['database-url'];
    if (url === null) {
      yield {
        id: 'database.embedded',
        severity: 'info',
        finding:
          'SERVICE_DATABASE_URL is not set: all data is in the embedded database, which only one process can use',
        fix: 'back up the data folder while the server is stopped, or configure PostgreSQL',
      };
    }
    if (database === null) return;
    yield* migrationItems(database.migrations);
    if (url === null) return;
    yield* connectionItems(await connectionOf(database.orm, url));
    yield* roleItems(await roleOf(database.orm));
    yield* await clockItems('database', config, now, async () => {
      const [row] = await database.orm
        .select({ millis: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8` })
        .from(sql`(select 1) one`);
      return Number(row?.millis);
    });
  },
};

interface Connection {
  readonly reach: Reach;
  readonly isEncrypted: boolean;
  readonly isVerified: boolean;
  readonly hasPassword: boolean;
}

async function connectionOf(orm: Orm, url: string): Promise<Connection> {
  const [row] = await orm
    .select({
      isEncrypted: sql<boolean>`coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)`,
      address: sql<string | null>`host(inet_server_addr())`,
    })
    .from(sql`(select 1) one`);
  const { searchParams, password } = new URL(url);
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? '';
  const byName = reachOfUrl(url);
  return {
    // A local socket has no address.
    reach: byName !== 'unknown' ? byName : row?.address ? reachOf(row.address) : 'machine',
    isEncrypted: row?.isEncrypted === true,
    // The driver verifies the certificate in every other mode.
    isVerified: !/^(?:allow|prefer|require)$/.test(mode),
    hasPassword: password !== '',
  };
}

function* connectionItems(connection: Connection): Iterable<PreflightItem> {
  const { reach, isEncrypted, isVerified, hasPassword } = connection;
  if (!isEncrypted && reach !== 'machine') {
    yield {
      id: 'database.clear',
      severity: reach === 'public' ? 'error' : 'warning',
      finding: `the connection to PostgreSQL is not encrypted, and leads to ${reach === 'public' ? 'a public address' : 'another machine'}`,
      fix: 'enable ssl in PostgreSQL, and add ?sslmode=verify-full to SERVICE_DATABASE_URL',
    };
  }
  if (isEncrypted && !isVerified && reach !== 'machine') {
    yield {
      id: 'database.unverified',
      severity: 'warning',
      finding: 'the certificate of PostgreSQL is not verified: the connection can be intercepted',
      fix: 'set ?sslmode=verify-full in SERVICE_DATABASE_URL, and its certificate authority in NODE_EXTRA_CA_CERTS',
    };
  }
  if (!hasPassword && reach !== 'machine') {
    yield {
      id: 'database.no-password',
      severity: 'warning',
      finding: 'SERVICE_DATABASE_URL has no password, and PostgreSQL is on another machine',
      fix: 'make sure that PostgreSQL authenticates this service by a certificate, and does not trust addresses',
    };
  }
}

interface DatabaseRole {
  readonly isSuperuser: boolean;
  readonly mayCreateRoles: boolean;
}

async function roleOf(orm: Orm): Promise<DatabaseRole> {
  const [row] = await orm
    .select({ isSuperuser: sql<boolean>`rolsuper`, mayCreateRoles: sql<boolean>`rolcreaterole` })
    .from(sql`pg_roles`)
    .where(sql`rolname = current_user`);
  return { isSuperuser: row?.isSuperuser === true, mayCreateRoles: row?.mayCreateRoles === true };
}

function* roleItems({ isSuperuser, mayCreateRoles }: DatabaseRole): Iterable<PreflightItem> {
  if (!isSuperuser && !mayCreateRoles) return;
  yield {
    id: 'database.superuser',
    severity: 'warning',
    finding: `the database role ${isSuperuser ? 'is a superuser' : 'may create roles'}: its password also gives access to ${isSuperuser ? 'the files of the database machine' : 'the other roles'}`,
    fix: 'create a separate role that owns this database and nothing else (create role … login; create database … owner …)',
  };
}

/** The item is the same from the command and from a start with the obstacle. */
export function obstacleItem({ kind, finding, fix }: SchemaObstacle): PreflightItem {
  return { id: `database.${kind}`, severity: 'error', finding, fix };
}

function* migrationItems({ lastApplied, known, pending, isNewer, obstacles }: MigrationState): Iterable<PreflightItem> {
  if (isNewer) {
    yield {
      id: 'database.newer',
      severity: 'error',
      finding: 'the database was migrated by a newer release than this one',
      fix: 'start that release, or restore the backup from before it',
    };
  } else if (obstacles.length > 0) {
    yield* obstacles.map(obstacleItem);
  } else if (pending > 0) {
    yield {
      id: 'database.pending',
      severity: 'info',
      finding: `${pending} of ${known} migrations are pending: the next start applies them`,
      fix: lastApplied === null ? 'nothing: the database is new' : 'make a backup first',
    };
  }
}
