import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresAuditSink, generateCheckpointKey, parseAuditKey } from '@sallyport/audit-log/postgres';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { createTestDatabase, type TestTemplate } from '../../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../../scripts/test-embedded.js';
import { type App, buildApp, type ComposeOptions, composeApp } from '../../src/app.js';
import { type Config, readConfig } from '../../src/config/config.js';
import { developmentAccount, passwordToSend } from '../../src/modules/administrators/development-account.js';
import { openPasswordHashing, type PasswordHashing } from '../../src/modules/passwords/index.js';
import { type Changes, createChanges } from '../../src/storage/changes.js';
import type { Database } from '../../src/storage/database.js';
import { openInMemory } from '../../src/storage/embedded.js';
import { readMigrations } from '../../src/storage/migrations.js';
import type { Resources } from '../../src/storage/opened-resources.js';
import { openPostgres } from '../../src/storage/postgres.js';
import { createStores, openDatabase as openOwnDatabase } from '../../src/storage/resources.js';

type Environment = Readonly<Record<string, string>>;

/** The least. */
const BCRYPT_COST = 4;

/** The environment of every test: silent log, low hash cost, its own folder. */
const BASE: Environment = {
  SERVICE_PROFILE: 'development',
  SERVICE_LOG_LEVEL: 'silent',
  SERVICE_AUTH_PASSWORD_BCRYPT_COST: String(BCRYPT_COST),
  // Production creates no key.
  SERVICE_AUDIT_CHAIN_KEY: `test:${randomBytes(32).toString('hex')}`,
  SERVICE_AUTH_SECOND_FACTOR_KEY: `test:${randomBytes(32).toString('base64')}`,
  SERVICE_AUDIT_CHECKPOINT_KEY: generateCheckpointKey('test/audit').privateKey,
  // Set by `pnpm test:matrix`.
  ...(process.env.SALLYPORT_TEST_BACKEND && { SERVICE_API_ENCRYPTION_BACKEND: process.env.SALLYPORT_TEST_BACKEND }),
};

/**
 * For the apps of all benches in this process. Starting the worker of an app takes as long as a dozen sign-ins.
 * Idle workers keep no process, so they are never closed.
 */
let sharedHashing: PasswordHashing | undefined;

export function hashingOf(config: Config): PasswordHashing | undefined {
  if (config['auth.password.bcrypt-cost'] !== BCRYPT_COST) return undefined;
  sharedHashing ??= openPasswordHashing(config);
  return sharedHashing;
}

export interface TestBench {
  readonly folder: string;
  readonly database: Database;
  /** Changes without a request, as commands make them. */
  readonly changes: Changes;
  config(environment?: Environment): Config;
  /** Resources on the bench's database; in-memory stores are not shared. */
  resources(config: Config): Resources;
  /** Opens the bench's database as a command does: by the address in its settings, or the embedded one as it is. */
  openDatabase(): Promise<Database>;
  /** A server on the bench's database. It is closed with the bench. Servers of the least cost share their hashing. */
  app(environment?: Environment): Promise<App>;
  appOn(config: Config, resources: Resources, options?: ComposeOptions): Promise<App>;
  /** Composes the server on an app of the caller, who closes it. Default: the bench's resources. */
  compose(app: App, config: Config, resources?: Resources): Promise<void>;
  close(): Promise<void>;
}

/** One database and one folder for the apps of a test file. PostgreSQL takes less than half the time of PGlite. */
export async function openTestBench(storage: 'PostgreSQL' | 'embedded' = 'PostgreSQL'): Promise<TestBench> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-server-'));
  const { database, settings, drop } = storage === 'embedded' ? await openOnEmbedded() : await openOnPostgres();
  const key = parseAuditKey(BASE.SERVICE_AUDIT_CHAIN_KEY!);
  const sink = createPostgresAuditSink({ database: database.orm, key });
  const apps: App[] = [];
  const bench: TestBench = {
    folder,
    database,
    changes: createChanges(database, sink, () => {}),
    config: (environment = {}) => readConfig({ ...BASE, ...settings, SERVICE_DATA_DIR: folder, ...environment }),
    resources: (config) => ({
      database,
      redis: null,
      stores: { ...createStores(config, database, null), noncesAreNew: true },
      warnings: [],
      close: async () => {},
    }),
    openDatabase: async () =>
      database.embedded === null ? openOwnDatabase(bench.config()) : { ...database, close: async () => {} },
    app(environment) {
      const config = bench.config(environment);
      return bench.appOn(config, bench.resources(config));
    },
    async appOn(config, resources, options) {
      const app = await buildApp(config, resources, { hashing: hashingOf(config), ...options });
      apps.push(app);
      return app;
    },
    async compose(app, config, resources = bench.resources(config)) {
      await composeApp(app, config, resources, { hashing: hashingOf(config) });
    },
    async close() {
      await Promise.all(apps.map((app) => app.close()));
      await sink.close();
      await database.close();
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

interface OpenedDatabase {
  readonly database: Database;
  readonly settings: Environment;
  drop(): Promise<void>;
}

async function openOnEmbedded(): Promise<OpenedDatabase> {
  return { database: await openInMemory(await openTestEmbedded()), settings: {}, drop: async () => {} };
}

/** The migrated tables. Migrating takes four times as long as copying them. */
const migrated: TestTemplate = {
  key: JSON.stringify(readMigrations().map(({ hash }) => hash)),
  async fill(url) {
    const database = await openPostgres(url);
    await database.close();
  },
};

async function openOnPostgres(): Promise<OpenedDatabase> {
  const { url, drop } = await createTestDatabase(migrated);
  return { database: await openPostgres(url), settings: { SERVICE_DATABASE_URL: url }, drop };
}

/** The credentials of the development account. */
export const credentials = {
  username: developmentAccount.username,
  password: passwordToSend(developmentAccount.password),
  terminal: 'web',
} as const;

export function signIn(
  app: App,
  body: object = credentials,
  more: InjectOptions = {},
): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/admin/auth/login', payload: body, ...more });
}

/** The headers of a signed-in administrator. */
export async function bearer(app: App): Promise<{ authorization: string }> {
  const response = await signIn(app);
  return { authorization: `Bearer ${response.json().data.token}` };
}
