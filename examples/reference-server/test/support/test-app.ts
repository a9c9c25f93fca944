import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type App, buildApp } from '../../src/app.js';
import { type Config, readConfig } from '../../src/config/config.js';
import { developmentAccount, passwordToSend } from '../../src/modules/administrators/development-account.js';
import type { Database } from '../../src/storage/database.js';
import { openInMemory } from '../../src/storage/embedded.js';
import { createStores, type Resources } from '../../src/storage/resources.js';

type Environment = Readonly<Record<string, string>>;

/** What every test starts from: quiet, quick to hash, in a folder of its own. */
const BASE: Environment = {
  SERVICE_PROFILE: 'development',
  SERVICE_LOG_LEVEL: 'silent',
  SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
  // Production makes none of its own.
  SERVICE_AUDIT_CHAIN_KEY: `test:${randomBytes(32).toString('hex')}`,
  // Set by `pnpm test:matrix`.
  ...(process.env.SALLYPORT_TEST_BACKEND && { SERVICE_API_ENCRYPTION_BACKEND: process.env.SALLYPORT_TEST_BACKEND }),
};

export interface TestBench {
  readonly folder: string;
  readonly database: Database;
  config(environment?: Environment): Config;
  /** Resources on the bench's database, with stores of their own where they are in memory. */
  resources(config: Config): Resources;
  /** A server on the bench's database. It is closed with the bench. */
  app(environment?: Environment): Promise<App>;
  appOn(config: Config, resources: Resources): Promise<App>;
  close(): Promise<void>;
}

/** One in-memory database and one folder for the apps of a test file. */
export async function openTestBench(): Promise<TestBench> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-server-'));
  const database = await openInMemory(await createEmptyDatabase());
  const apps: App[] = [];
  const bench: TestBench = {
    folder,
    database,
    config: (environment = {}) => readConfig({ ...BASE, SERVICE_DATA_DIR: folder, ...environment }),
    resources: (config) => ({
      database,
      redis: null,
      stores: createStores(config, database, null),
      warnings: [],
      close: async () => {},
    }),
    app(environment) {
      const config = bench.config(environment);
      return bench.appOn(config, bench.resources(config));
    },
    async appOn(config, resources) {
      const app = await buildApp(config, resources);
      apps.push(app);
      return app;
    },
    async close() {
      await Promise.all(apps.map((app) => app.close()));
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

/** A database in memory without so much as a schema. */
export async function createEmptyDatabase(): Promise<PGlite> {
  return PGlite.create({ loadDataDir: await databaseTemplate() });
}

/**
 * An empty database to start from: making one takes seconds, loading one half a second. It is kept under `node_modules`
 * for the next run, by the place, and so the version, of what made it; of test files that make it at the same time the
 * last one wins.
 */
async function databaseTemplate(): Promise<Blob> {
  const folder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
  const version = createHash('sha256')
    .update(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
    .digest('hex');
  const path = join(folder, `pglite-${version.slice(0, 12)}.tar`);
  try {
    return new Blob([await readFile(path)]);
  } catch {
    const client = await PGlite.create();
    const template = await client.dumpDataDir('none');
    await client.close();
    await mkdir(folder, { recursive: true });
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, Buffer.from(await template.arrayBuffer()));
    await rename(draft, path);
    return template;
  }
}

/** What the development account signs in with. */
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
