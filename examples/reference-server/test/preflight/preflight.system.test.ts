import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { writeTestEmbedded } from '../../../../scripts/test-embedded.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { buildApp } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { reachOf } from '../../src/config/reach.js';
import { developmentAccount, passwordToSend } from '../../src/modules/administrators/development-account.js';
import { runPreflightCommand } from '../../src/preflight/preflight-command.js';
import type { PreflightItem } from '../../src/preflight/preflight-item.js';
import type { ProcessFacts } from '../../src/preflight/process-facts.js';
import { readStartConfig } from '../../src/preflight/start-check.js';
import { administrators } from '../../src/storage/schema.js';
import { plantedFaults } from './planted-faults.js';
import { type RightProduction, rightProduction } from './right-production.js';

type Environment = Readonly<Record<string, string | undefined>>;

interface Report {
  readonly passed: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  readonly items: readonly PreflightItem[];
}

describe.skipIf(lacks('redis'))('preflight', { timeout: 60_000 }, () => {
  let production: RightProduction;
  beforeAll(async () => {
    // The threads of the portable backend load the built package.
    build();
    production = await rightProduction();
  }, 90_000);
  afterAll(() => production.close());

  const environmentWith = (more: Environment = {}) => {
    const merged = { ...production.environment, ...more };
    return Object.fromEntries(
      Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  };

  /** Keys, passwords and headers of a planted environment, split as they would be printed. */
  function secretsIn(environment: Environment): string[] {
    const keys = Object.entries(environment).filter(([name]) => /_(?:KEY|KEYS|HEADERS)$/.test(name));
    const parts = keys.flatMap(([, value = '']) => value.split(/[\s:"{},\\]+/));
    const passwords = Object.values(environment).map((value = '') =>
      URL.canParse(value) ? new URL(value).password : '',
    );
    // `Authorization` is not a secret.
    return [...parts, ...passwords].filter((part) => part.length > 15 && !part.includes('-----'));
  }

  async function command(
    argv: readonly string[],
    environment: Environment = {},
    facts: Partial<ProcessFacts> = {},
    clockMillis = 0,
  ) {
    let output = '';
    let errors = '';
    const status = await runPreflightCommand({
      argv,
      facts: { ...production.facts(environmentWith(environment)), ...facts },
      now: () => Date.now() + clockMillis,
      write: (text) => {
        output += text;
      },
      writeError: (text) => {
        errors += text;
      },
    });
    return { status, output, errors };
  }

  async function report(...given: [environment?: Environment, facts?: Partial<ProcessFacts>, clockMillis?: number]) {
    const { status, output } = await command(['--json'], ...given);
    return { status, output, ...(JSON.parse(output) as Report) };
  }

  it('OPS-3 a correct configuration, on PostgreSQL and Redis, has neither errors nor warnings', async () => {
    const { status, passed, items } = await report();
    expect(items.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect([status, passed]).toEqual([0, true]);
    expect((await command(['--strict'])).status).toBe(0);
  });

  it('OPS-3 the table below plants more than 25 different faults', () => {
    expect(new Set(plantedFaults.map(({ id }) => id)).size).toBeGreaterThanOrEqual(25);
  });

  it.each(plantedFaults)('OPS-3 catches $what: $id', async (fault) => {
    const { id, severity = 'error', fix, environment, facts, plant, mend, clockMillis } = fault;
    const planted = { ...environment, ...(await plant?.(production)) };
    try {
      const found = await report(planted, facts, clockMillis);
      const item = found.items.find((each) => each.id === id && each.severity === severity);
      expect(item, found.output).toBeDefined();
      expect(item!.fix).toMatch(fix);
      expect([found.passed, found.status]).toEqual(found.errors === 0 ? [true, 0] : [false, 1]);
      if (severity === 'error') expect(found.status).toBe(1);
      // OPS-10: never the value of a secret, whether it was right or wrong.
      for (const secret of [...production.secrets, ...secretsIn(planted), 'canary']) {
        expect(found.output.includes(secret), secret).toBe(false);
      }
    } finally {
      await mend?.(production);
    }
  });

  it('OPS-3 the JSON has a fixed shape; --strict fails for warnings; an unknown argument exits with 2', async () => {
    const found = await report({ SERVICE_PUBLIC_URL: undefined, SERVICE_TRUSTED_PROXIES: undefined });
    expect(Object.keys(JSON.parse(found.output))).toEqual(['passed', 'errors', 'warnings', 'infos', 'items']);
    for (const item of found.items) {
      expect(Object.keys(item)).toEqual(['id', 'severity', 'finding', 'fix']);
      expect(item.id).toMatch(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/);
    }
    const lines = (
      await command([], { SERVICE_PUBLIC_URL: undefined, SERVICE_TRUSTED_PROXIES: undefined })
    ).output.split('\n');
    for (const { id, severity, finding, fix } of found.items) {
      expect(lines).toContain(`${severity.padEnd(7)}  ${finding}; ${fix} [${id}]`);
    }
    expect(lines.at(-2)).toMatch(/^Production would not start: 1 error, 1 warning, \d notes?\.$/);

    const counted = ['error', 'warning', 'info'].map(
      (name) => found.items.filter(({ severity }) => severity === name).length,
    );
    expect([found.errors, found.warnings, found.infos]).toEqual(counted);
    expect(found.items.map(({ severity }) => severity)).toEqual([
      ...Array(counted[0]).fill('error'),
      ...Array(counted[1]).fill('warning'),
      ...Array(counted[2]).fill('info'),
    ]);

    expect((await command([], { SERVICE_PUBLIC_URL: undefined })).status).toBe(0);
    expect((await command(['--strict'], { SERVICE_PUBLIC_URL: undefined })).status).toBe(1);
    expect(await command(['--jsn'])).toMatchObject({ status: 2, output: '' });
    expect((await command(['--help'])).output).toContain('Exit status');
  });

  it('OPS-3 a setting that cannot be read is not replaced by its default, and no other store is opened in its place', async () => {
    const { items } = await report({ SERVICE_TRUSTED_PROXIES: 'true', SERVICE_REDIS_URL: 'http://x' });
    const ids = items.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['config.trusted-proxies', 'config.redis-url', 'preflight.stores-unread']),
    );
    expect(ids.filter((id) => /^(?:proxies|redis|database)\./.test(id))).toEqual([]);
  });

  it('OPS-3 the command creates no folder and applies no migration', async () => {
    const empty = await import('../../../../scripts/test-database.js').then(({ createTestDatabase }) =>
      createTestDatabase(),
    );
    try {
      const folder = join(production.folder, 'never');
      const { items } = await report({ SERVICE_DATABASE_URL: empty.url, SERVICE_DATA_DIR: folder });
      expect(items.map(({ id }) => id)).toContain('database.pending');
      const tables = await empty.connect({ max: 1 }).$client`select 1 from pg_tables where schemaname = 'public'`;
      expect(tables).toHaveLength(0);
      await expect(chmod(folder, 0o700)).rejects.toThrow('ENOENT');
    } finally {
      await empty.drop();
    }
  });

  describe('at the start', () => {
    const started = (more: Environment = {}) =>
      buildApp(readConfig(environmentWith({ SERVICE_LOG_LEVEL: 'silent', ...more })));

    it('OPS-3 production starts with a correct configuration', async () => {
      const app = await started();
      expect((await app.inject('/actuator/health')).json()).toEqual({ status: 'UP' });
      await app.close();
    });

    it('OPS-3 USR-4 production is refused with all errors of settings, stores and accounts in one message without secrets', async () => {
      const { database, control } = production;
      const orm = database.connect({ max: 1 });
      const { username, password, displayName } = developmentAccount;
      const passwordHash = await bcrypt.hash(passwordToSend(password), 4);
      await orm.insert(administrators).values({ id: randomUUID(), username, displayName, passwordHash });
      await control.config('SET', 'maxmemory', '100mb');
      await control.config('SET', 'maxmemory-policy', 'volatile-lru');
      try {
        const refusal = await started({
          SERVICE_TRUSTED_PROXIES: undefined,
          SERVICE_CORS_ORIGINS: 'http://admin.sallyport.cn',
          SERVICE_STORAGE_S3_ACCESS_KEY_ID: 'minioadmin',
        }).catch((error: Error) => error);
        expect(refusal).toBeInstanceOf(Error);
        const { message } = refusal as Error;
        const ids = [...message.matchAll(/\[([a-z0-9.-]+)\]$/gm)].map(([, id]) => id);
        expect(ids.sort()).toEqual([
          'accounts.development',
          'https.cors-origin',
          'proxies.none',
          'redis.eviction',
          'storage.test-credentials',
        ]);
        for (const secret of production.secrets) expect(message).not.toContain(secret);
      } finally {
        await control.config('SET', 'maxmemory', '0');
        await control.config('SET', 'maxmemory-policy', 'noeviction');
        await orm.delete(administrators);
      }
    });

    it('OPS-3 OPS-11 what is in the way of the migrations is refused together with the errors of settings', async () => {
      const { $client } = production.database.connect({ max: 1 });
      await $client.unsafe(
        'create schema taken; create table taken.roles (name text); create view taken.payments as select 1',
      );
      try {
        const refusal = await started({
          SERVICE_DATABASE_SCHEMA: 'taken',
          SERVICE_STORAGE_S3_ACCESS_KEY_ID: 'minioadmin',
        }).catch((error: Error) => error);
        const { message } = refusal as Error;
        expect(message).toMatch(/view "payments", table "roles"; set SERVICE_DATABASE_SCHEMA.*\[database\.collision\]/);
        expect(message).toContain('[storage.test-credentials]');
        for (const secret of production.secrets) expect(message).not.toContain(secret);
        expect(await $client`select tablename as name from pg_tables where schemaname = 'taken'`).toEqual([
          { name: 'roles' },
        ]);
      } finally {
        await $client`drop schema taken cascade`;
      }
    });

    it('OPS-3 a configuration that cannot be read is refused together with all other errors', async () => {
      const refusal = await readStartConfig(
        environmentWith({
          SERVICE_NODES: 'two',
          SERVICE_CORS_ORIGINS: 'http://admin.sallyport.cn',
          SERVICE_SAFE_MODE: 'true',
        }),
      ).catch((error: Error) => error);
      expect((refusal as Error).message).toMatch(
        /\[config\.nodes\](.|\n)*\[config\.safe-mode\](.|\n)*\[https\.cors-origin\]/,
      );
      await expect(
        readStartConfig(environmentWith({ SERVICE_PROFILE: 'development', SERVICE_NODES: 'two' })),
      ).rejects.toThrow('SERVICE_NODES is not a whole number');
      expect(await readStartConfig(environmentWith())).toMatchObject({ profile: 'production' });
    });

    it('OPS-3 development starts with all of these errors', { timeout: 180_000 }, async () => {
      const config = readConfig(
        environmentWith({
          SERVICE_PROFILE: 'development',
          SERVICE_LOG_LEVEL: 'silent',
          SERVICE_TRUSTED_PROXIES: undefined,
          SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
          SERVICE_DATABASE_URL: undefined,
          SERVICE_REDIS_URL: undefined,
          SERVICE_DATA_DIR: join(production.folder, 'development'),
          SERVICE_AUDIT_CHECKPOINT_FILE: join(production.folder, 'development-checkpoints'),
          SERVICE_STORAGE_S3_BUCKET: undefined,
          SERVICE_STORAGE_S3_ENDPOINT: undefined,
          SERVICE_STORAGE_S3_ACCESS_KEY_ID: undefined,
          SERVICE_STORAGE_S3_SECRET_ACCESS_KEY: undefined,
        }),
      );
      // Creating an embedded database takes seconds.
      await mkdir(config['data-dir'], { mode: 0o700 });
      await writeTestEmbedded(join(config['data-dir'], 'pglite'));
      const app = await buildApp(config);
      await app.close();
      // The command reads the database while the server is stopped.
      const { items } = await report({ SERVICE_DATA_DIR: config['data-dir'], SERVICE_DATABASE_URL: undefined });
      expect(items).toContainEqual(expect.objectContaining({ id: 'accounts.development', severity: 'error' }));
    });
  });

  describe("a deployment's own checks", () => {
    async function moduleOf(source: string, mode = 0o600): Promise<Environment> {
      const folder = join(production.folder, `checks-${randomUUID()}`);
      await mkdir(folder, { mode: 0o700 });
      const path = join(folder, 'checks.mjs');
      await writeFile(path, source);
      await chmod(path, mode);
      return { SERVICE_PREFLIGHT_MODULE: path };
    }

    it('OPS-3 run with configuration and stores, and refuse the start like the others', async () => {
      const own = await moduleOf(`
        export const checks = [{
          id: 'our-vpn',
          async *run({ config, stores, now }) {
            const answer = await stores.redis.ping();
            yield { id: 'our-vpn.down', severity: 'error', finding: \`port \${config.port}, \${answer}, \${stores.database.name}, \${now() > 0}\`, fix: 'start it' };
          },
        }];`);
      const { items, status } = await report(own);
      expect(status).toBe(1);
      expect(items).toContainEqual({
        id: 'our-vpn.down',
        severity: 'error',
        finding: 'port 0, PONG, PostgreSQL, true',
        fix: 'start it',
      });
      await expect(buildApp(readConfig(environmentWith({ ...own, SERVICE_LOG_LEVEL: 'silent' })))).rejects.toThrow(
        '[our-vpn.down]',
      );
    });

    it('OPS-3 the example in the README works', async () => {
      const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
      const [, source] = /```js\n(export const checks[^`]+)```/.exec(readme) ?? [];
      const { items } = await report(await moduleOf(source ?? ''));
      expect(items).toContainEqual(
        expect.objectContaining({ id: 'our-domain', severity: 'error', fix: 'use example.com' }),
      );
      const ours = await report({ ...(await moduleOf(source ?? '')), SERVICE_PUBLIC_URL: 'https://api.example.com' });
      expect(ours.items.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(ours.passed).toBe(true);
    });

    it('OPS-3 secrets in their findings are masked, and a check that throws or returns an invalid item is an error', async () => {
      const { items, output } = await report(
        await moduleOf(`
          const item = (id, finding) => ({ id, severity: 'warning', finding, fix: 'x' });
          export const checks = [
            { id: 'leaks', run: ({ config }) => [item('leaks', 'a ' + config['api.encryption.private-key'] + '\\n' + config['redis-url'])] },
            { id: 'breaks', run: ({ config }) => { throw new Error(config['redis-url']) } },
            { id: 'pretends', run: () => [item('proxies.none', 'nothing')] },
            { id: 'odd', run: () => [{ id: 'odd' }] },
          ];`),
      );
      expect(items.find(({ id }) => id === 'leaks')?.finding).toBe('a *** ***');
      const broken = items.filter(({ id }) => id.endsWith('.broken'));
      expect(broken.map(({ id, severity }) => `${severity} ${id}`)).toEqual([
        'error breaks.broken',
        'error pretends.broken',
        'error odd.broken',
      ]);
      for (const secret of production.secrets) expect(output).not.toContain(secret);
    });

    it.each([
      ['others may write', 'export const checks = [];', 0o622, 'writable by users other'],
      ['does not parse', 'export const checks = [', 0o600, 'could not be loaded'],
      ['exports nothing', 'export default [];', 0o600, 'does not export checks'],
      ['takes an id of ours', "export const checks = [{ id: 'proxies.mine', run: () => [] }];", 0o600, 'already used'],
    ])('OPS-3 a module that %s is refused', async (_what, source, mode, finding) => {
      const { items } = await report(await moduleOf(source, mode));
      expect(items).toContainEqual(
        expect.objectContaining({
          id: 'preflight.module',
          severity: 'error',
          finding: expect.stringContaining(finding),
        }),
      );
    });

    it('OPS-3 a module by a relative path, or none at all, is refused', async () => {
      expect((await report({ SERVICE_PREFLIGHT_MODULE: 'checks.mjs' })).items.map(({ id }) => id)).toContain(
        'config.preflight.module',
      );
      expect((await report({ SERVICE_PREFLIGHT_MODULE: '/nowhere/checks.mjs' })).items.map(({ id }) => id)).toContain(
        'preflight.module',
      );
    });
  });
});

it.each([
  ['127.0.0.1', 'machine'],
  ['127.8.8.8', 'machine'],
  ['[::1]', 'machine'],
  ['::ffff:127.0.0.1', 'machine'],
  ['localhost', 'machine'],
  ['10.1.2.3', 'private'],
  ['172.31.0.1', 'private'],
  ['172.32.0.1', 'public'],
  ['fd00::1', 'private'],
  ['2001:db8::1', 'public'],
  ['0.0.0.0', 'public'],
  ['redis', 'private'],
  ['db.prod.svc', 'private'],
  ['db.example.com', 'unknown'],
  ['127.0.0.1.example.com', 'unknown'],
])('OPS-3 how far a connection to %s goes: %s', (host, reach) => {
  expect(reachOf(host)).toBe(reach);
});
