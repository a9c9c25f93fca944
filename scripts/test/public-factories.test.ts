import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/pg-proxy';
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import { SetupError } from '../../packages/plugin-kit/src/options/index.js';

type Options = Readonly<Record<string, unknown>>;
type Call = (...given: unknown[]) => unknown;

/** How a public factory is called, and with what it works. */
type Factory =
  | { readonly kind: 'options'; readonly right: Options }
  /** A Fastify plugin. `prepare` registers what it needs first. */
  | { readonly kind: 'plugin'; readonly right: Options; readonly prepare?: (app: FastifyInstance) => Promise<unknown> }
  /** Arguments one by one. */
  | { readonly kind: 'arguments'; readonly right: readonly unknown[] };

const packagesFolder = new URL('../../packages/', import.meta.url);
const database = drizzle(async () => ({ rows: [] }));
const method = () => {};
const methods = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, method]));

const store = {
  ...methods('get', 'set', 'take', 'increment', 'setIfAbsent', 'compareAndSet', 'compareAndDelete', 'delete', 'time'),
  lifetime: 'shared',
  marks: { ...methods('keep', 'replace', 'setIfAbsent'), parts: 1 },
};
const auditKey = { id: 'k1', secret: randomBytes(32) };
const parameterTable = {
  definitions: { count: { key: 'shop.count', type: 'LONG', default: 1, isPublic: false, description: 'How many' } },
};
const records = methods('read', 'replace');
const signingKey = { algorithm: 'HS256', secret: randomBytes(32).toString('base64url') };

const plugin = (name: string) => import(fileURLToPath(new URL(`${name}/src/index.ts`, packagesFolder)));
const registerParameters = async (app: FastifyInstance) => {
  const { systemParameters, createMemorySource } = await plugin('system-parameters');
  await app.register(systemParameters, { tables: [parameterTable], source: createMemorySource() });
};
const registerEnvelopes = async (app: FastifyInstance) =>
  app.register((await plugin('envelope-crypto')).envelopeCrypto, {});

/** Every public factory. A factory that a package adds is missing here: the first test names it. */
const factories: Readonly<Record<string, Factory>> = {
  'plugin-kit/deadlines createBoundedCall': { kind: 'options', right: { timeoutMillis: 10 } },
  'ttl-store createMemoryStore': { kind: 'options', right: {} },
  'ttl-store createStoreClock': { kind: 'options', right: { store } },
  'ttl-store/loss createMarkKeeper': {
    kind: 'options',
    right: { marks: store.marks, key: 'a', ...methods('monotonic', 'read', 'write', 'next') },
  },
  'ttl-store/redis createRedisStore': {
    kind: 'options',
    right: { client: methods('defineCommand', 'eval', 'evalsha', 'on', 'off'), keyPrefix: 'a:' },
  },
  'ttl-store/postgres createPostgresStore': { kind: 'options', right: { database } },
  'ttl-store/postgres createTtlEntriesTable': { kind: 'arguments', right: [database] },
  'client-ip clientIp': { kind: 'plugin', right: {} },
  'client-ip createClientIp': { kind: 'options', right: {} },
  'auth-tokens authTokens': { kind: 'plugin', right: { store, issuer: 'test', signingKey } },
  'login-policy loginPolicy': { kind: 'plugin', right: { store } },
  'login-policy createLoginAttempts': { kind: 'options', right: { store } },
  'captcha/image createImageRenderer': { kind: 'options', right: {} },
  'captcha createCaptchas': { kind: 'options', right: { store } },
  'password-hashing createPasswordHashing': { kind: 'options', right: {} },
  'one-time-codes createOneTimeCodes': {
    kind: 'options',
    right: { store, key: randomBytes(32), send: method },
  },
  'second-factor createSecondFactors': {
    kind: 'options',
    right: { store, records, key: auditKey, issuer: 'Shop' },
  },
  'second-factor createMemoryFactorRecords': { kind: 'options', right: {} },
  'second-factor/passkeys createPasskeys': {
    kind: 'options',
    right: { store, records, rpId: 'example.com', rpName: 'Shop', origins: ['https://example.com'] },
  },
  'password-hashing/common-passwords createCommonPasswords': { kind: 'options', right: { digest: String } },
  'envelope-crypto envelopeCrypto': { kind: 'plugin', right: {} },
  'envelope-crypto publicKeyRoute': { kind: 'plugin', right: {}, prepare: registerEnvelopes },
  'envelope-crypto/client createEnvelopeClient': { kind: 'options', right: { baseUrl: 'http://127.0.0.1/' } },
  'envelope-crypto/client/axios createEnvelopeAdapter': { kind: 'options', right: { baseUrl: 'http://127.0.0.1/' } },
  'envelope-crypto/client/wechat createWechatClient': {
    kind: 'options',
    right: { baseUrl: 'http://127.0.0.1/', wx: { request: () => {} } },
  },
  'replay-guard replayGuard': { kind: 'plugin', right: { store }, prepare: registerEnvelopes },
  'replay-guard createReplayGuard': { kind: 'options', right: { store } },
  'system-parameters systemParameters': {
    kind: 'plugin',
    right: { tables: [parameterTable], source: (await plugin('system-parameters')).createMemorySource() },
  },
  'system-parameters adminParameterRoutes': {
    kind: 'plugin',
    right: { changedBy: () => 'somebody' },
    prepare: registerParameters,
  },
  'system-parameters publicParametersRoute': { kind: 'plugin', right: {}, prepare: registerParameters },
  'system-parameters createSystemParameters': {
    kind: 'options',
    right: { tables: [parameterTable], source: methods('declare', 'read', 'write') },
  },
  'system-parameters createMemorySource': { kind: 'options', right: {} },
  'system-parameters/postgres createPostgresSource': { kind: 'options', right: { database } },
  'system-parameters/postgres createPostgresNotifier': {
    kind: 'options',
    right: { client: methods('listen', 'notify', 'query') },
  },
  'system-parameters/postgres createSystemParametersTable': { kind: 'arguments', right: [database] },
  'system-parameters/redis createRedisNotifier': {
    kind: 'options',
    right: { client: methods('publish', 'duplicate'), channel: 'a' },
  },
  'idempotency idempotency': { kind: 'plugin', right: { store } },
  'idempotency/postgres createPostgresIdempotencyStore': { kind: 'options', right: { database } },
  'idempotency/postgres createIdempotencyRecordsTable': { kind: 'arguments', right: [database] },
  'idempotency/client createFormKey': { kind: 'arguments', right: [] },
  'audit-log auditLog': { kind: 'plugin', right: { sink: methods('append') } },
  'audit-log createMemorySink': { kind: 'options', right: {} },
  'audit-log createRecordIds': { kind: 'arguments', right: [Date.now] },
  'audit-log createAuditRecord': {
    kind: 'arguments',
    right: [{ action: 'a' }, { id: '0199f0b4-0000-7000-8000-000000000000', occurredAt: 1 }],
  },
  'audit-log/postgres createPostgresAuditSink': { kind: 'options', right: { database, key: auditKey } },
  'audit-log/postgres createAuditedChanges': {
    kind: 'options',
    right: { database, sink: methods('append', 'appendIf', 'appendWithin') },
  },
  'audit-log/postgres createAuditSettlement': {
    kind: 'options',
    right: { database, sink: methods('append'), findOutcome: method },
  },
  'audit-log/postgres createAuditReader': { kind: 'options', right: { database } },
  'audit-log/postgres createAuditTables': { kind: 'arguments', right: [database] },
  'audit-log/postgres createFileCheckpoint': { kind: 'arguments', right: ['/tmp/checkpoints'] },
  'audit-log/postgres createLogCheckpoint': { kind: 'arguments', right: [methods('info', 'warn')] },
  'audit-log/delivery createAuditDelivery': {
    kind: 'options',
    right: { database, destination: 'siem', target: methods('send') },
  },
  'audit-log/delivery createSyslogTarget': { kind: 'options', right: { host: 'siem.example.com' } },
  'audit-log/delivery createNdjsonTarget': { kind: 'options', right: { url: 'https://siem.example.com/' } },
  'audit-log/postgres createHttpCheckpoint': { kind: 'options', right: { url: 'https://witness.example/' } },
  'audit-log/postgres createS3Checkpoint': {
    kind: 'options',
    right: { client: methods('send'), PutObjectCommand: method, bucket: 'checkpoints' },
  },
  'audit-log/file createFileSink': { kind: 'options', right: { path: '/nowhere/audit.ndjson' } },
  'upload-policy uploadPolicy': { kind: 'plugin', right: {} },
  'upload-policy createFileDestination': { kind: 'options', right: { folder: '/nowhere', keep: method } },
};

/** Every plugin and every `create…` that an entry point of a package exports, by package, entry and name. */
const exported = await findExported();

async function findExported(): Promise<ReadonlyMap<string, Call>> {
  const found = new Map<string, Call>();
  for (const name of readdirSync(packagesFolder)) {
    const { exports } = JSON.parse(readFileSync(new URL(`${name}/package.json`, packagesFolder), 'utf8'));
    for (const [entry, target] of Object.entries(exports)) {
      const source = Object(target)['@sallyport/source'];
      if (typeof source !== 'string') continue;
      const module: Record<string, unknown> = await import(fileURLToPath(new URL(`${name}/${source}`, packagesFolder)));
      for (const [exportName, value] of Object.entries(module)) {
        if (exportName === 'default' || typeof value !== 'function') continue;
        const isPlugin = Symbol.for('plugin-meta') in value || /(?<!^cover)Routes?$/.test(exportName);
        if (isPlugin || /^create[A-Z]/.test(exportName))
          found.set(`${name}${entry.slice(1)} ${exportName}`, value as Call);
      }
    }
  }
  return found;
}

/** The error that a factory refuses its options with; null where it takes them. */
async function refusalOf(name: string, ...given: readonly unknown[]): Promise<SetupError | null> {
  const factory = factories[name]!;
  const call = exported.get(name)!;
  const app = factory.kind === 'plugin' ? Fastify() : null;
  try {
    if (app !== null && factory.kind === 'plugin') {
      await factory.prepare?.(app);
      await app.register(call as unknown as FastifyPluginAsync<object>, given[0] as object);
    } else await call(...given);
    return null;
  } catch (error) {
    if (!(error instanceof SetupError)) return null;
    return error;
  } finally {
    await app?.close();
  }
}

/** The names that a factory knows: what it says of a name that nothing resembles. */
async function optionNames(name: string, right: Options): Promise<string[]> {
  const refusal = await refusalOf(name, { ...right, qqqqqqqqqq: 1 });
  const [, names = ''] = /^qqqqqqqqqq is not an option; the options are (.*)$/.exec(refusal?.faults[0] ?? '') ?? [];
  return names === 'none' ? [] : names.split(', ').filter((each) => each !== '');
}

test('ADP-1 every public factory and plugin is in this table', () => {
  expect([...exported.keys()].sort()).toEqual(Object.keys(factories).sort());
});

const byOptions = Object.entries(factories).flatMap(([name, factory]) =>
  factory.kind === 'arguments' ? [] : [{ name, right: factory.right }],
);

describe.each(byOptions)('$name', ({ name, right }) => {
  test('ADP-1 works with right options', async () => {
    expect(await refusalOf(name, right)).toBeNull();
  });

  test('ADP-1 refuses an unknown option and suggests the nearest known one', async () => {
    const refusal = await refusalOf(name, { ...right, qqqqqqqqqq: 1 });
    expect(refusal?.faults).toEqual([expect.stringMatching(/^qqqqqqqqqq is not an option; the options are /)]);
    expect(refusal?.code).toMatch(/^[A-Z]+(?:_[A-Z]+)*_SETUP_INVALID$/);
    for (const option of await optionNames(name, right)) {
      const misspelt = `${option}x`;
      const { faults = [] } = (await refusalOf(name, { ...right, [misspelt]: 1 })) ?? {};
      expect(faults).toContain(`${misspelt} is not an option; did you mean ${option}?`);
    }
  });

  test('ADP-1 refuses each required option that is missing, all at once', async () => {
    const required = Object.keys(right);
    const { faults = [] } = required.length === 0 ? {} : ((await refusalOf(name, {})) ?? {});
    for (const option of required) expect(faults.join('\n')).toMatch(new RegExp(`(?:^|\n)${option}\\b`));
  });

  test('ADP-1 refuses a bad value of each option, all at once, and shows none', async () => {
    const names = await optionNames(name, right);
    const bad = Symbol('bad');
    for (const option of names) {
      const { faults = [] } = (await refusalOf(name, { ...right, [option]: bad })) ?? {};
      expect(faults.length, option).toBeGreaterThan(0);
      expect(faults.every((fault) => fault.startsWith(option))).toBe(true);
    }
    const all = await refusalOf(name, Object.fromEntries(names.map((option) => [option, bad])));
    for (const option of names) expect(all?.faults.some((fault) => fault.startsWith(option))).toBe(true);
    const canary = 'canary-5f0c1d';
    const texts = await refusalOf(name, {
      ...Object.fromEntries(names.map((option) => [option, canary])),
      qqqqqqqqqq: canary,
    });
    expect(texts?.message).toBeDefined();
    expect(texts?.message).not.toContain(canary);
  });
});

const byArguments = Object.entries(factories).flatMap(([name, factory]) =>
  factory.kind === 'arguments' ? factory.right.map((_, index) => ({ name, index, right: factory.right })) : [],
);

test.each(byArguments)('ADP-1 $name refuses a bad argument $index', async ({ name, index, right }) => {
  const refusal = await refusalOf(name, ...right.map((value, at) => (at === index ? Symbol('bad') : value)));
  expect(refusal?.code).toMatch(/_SETUP_INVALID$/);
});

const withDatabase = Object.entries(factories).filter(([, { right }]) => Object.values(right).includes(database));

test.each(withDatabase)('OPS-9 %s takes the primary of a database with replicas', async (name, { right }) => {
  const asked: (string | symbol)[] = [];
  // As of `withReplicas`, whose own `select` goes to a replica, which may lack what was committed just before.
  const replicated = new Proxy(
    {},
    {
      get(_, member) {
        if (member !== '$primary') asked.push(member);
        return member === '$primary' ? database : undefined;
      },
      has(_, member) {
        asked.push(member);
        return false;
      },
    },
  );
  const replaced = Object.entries(right).map(([key, value]) => [key, value === database ? replicated : value] as const);
  const refusal = Array.isArray(right)
    ? await refusalOf(name, ...replaced.map(([, value]) => value))
    : await refusalOf(name, Object.fromEntries(replaced));
  expect([refusal, asked]).toEqual([null, []]);
});

test('OPS-9 every entry for PostgreSQL has such a factory', () => {
  const entryOf = (name: string) => name.split(' ')[0] as string;
  const entries = [...exported.keys()].map(entryOf).filter((entry) => entry.endsWith('/postgres'));
  expect(new Set(withDatabase.map(([name]) => entryOf(name)))).toEqual(new Set([...entries, 'audit-log/delivery']));
});

/** Plugins that only add routes: a scope of their own is what they are for. */
const ROUTE_PLUGINS = [
  'envelope-crypto publicKeyRoute',
  'system-parameters adminParameterRoutes',
  'system-parameters publicParametersRoute',
];

const plugins = Object.entries(factories).flatMap(([name, factory]) =>
  factory.kind === 'plugin' && !ROUTE_PLUGINS.includes(name) ? [{ name, ...factory }] : [],
);

/** Registers a plugin inside another one, as @fastify/autoload does with a file that fastify-plugin doesn't wrap. */
async function registerInside(app: FastifyInstance, name: string, options: Options): Promise<void> {
  await app.register(async function authFile(scope) {
    await scope.register(exported.get(name) as unknown as FastifyPluginAsync<object>, options);
  });
}

describe.each(plugins)('the scope of $name', ({ name, right, prepare }) => {
  test('ADP-2 an encapsulated scope that was not meant is refused, with the fix', async () => {
    const app = Fastify();
    await prepare?.(app);
    const refusal: unknown = await registerInside(app, name, right).catch((error: unknown) => error);
    await app.close();
    expect(refusal).toBeInstanceOf(SetupError);
    expect((refusal as SetupError).code).toMatch(/_SETUP_INVALID$/);
    expect((refusal as SetupError).message).toContain('fastify-plugin');
  });

  test('ADP-2 a second registration is refused', async () => {
    const app = Fastify();
    await prepare?.(app);
    const call = exported.get(name) as unknown as FastifyPluginAsync<object>;
    await app.register(call, right);
    const refusal: unknown = await (async () => app.register(call, right))().catch((error: unknown) => error);
    await app.close();
    expect(refusal).toBeInstanceOf(SetupError);
    expect((refusal as SetupError).message).toMatch(/registered (?:already|twice)/);
  });
});

// A plugin that stands on another one needs it in its own scope, which the tests of that plugin show.
describe.each(plugins.filter(({ prepare }) => prepare === undefined))('the scope of $name', ({ name, right }) => {
  test('ADP-2 an encapsulated scope that is meant serves', async () => {
    const app = Fastify();
    await registerInside(app, name, { ...right, scope: 'encapsulated' });
    // The start of the envelope also asks for a replay guard; that of the others asks for nothing more.
    if (name !== 'envelope-crypto envelopeCrypto') await app.ready();
    await app.close();
  });
});

/** A postgres.js without the patch, as its `begin` tells: `unmended-driver.system.test.ts` has the real one. */
function unmendedClient() {
  return Object.assign(() => {}, {
    ...methods('listen', 'notify'),
    begin(onexecute: () => void, connection: { onclose?: () => void }) {
      connection.onclose = onexecute;
    },
  });
}

// `createPostgresNotifier` takes the client itself.
const overPostgres = byOptions.filter(({ right }) => 'database' in right || 'listen' in Object(right.client));

test('REL-16 the walk over PostgreSQL finds the packages with tables, and the notifier', () => {
  const packages = new Set(overPostgres.map(({ name }) => name.split(/[ /]/)[0]));
  expect([...packages].sort()).toEqual(['audit-log', 'idempotency', 'system-parameters', 'ttl-store']);
  expect(overPostgres.map(({ name }) => name)).toContain('system-parameters/postgres createPostgresNotifier');
});

describe.each(overPostgres)('$name', ({ name, right }) => {
  test('REL-16 warns of a postgres.js without the patch, once for a handle', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    try {
      const client = unmendedClient();
      const handle =
        'database' in right ? { database: Object.assign(Object.create(database), { $client: client }) } : { client };
      for (let time = 0; time < 2; time += 1) expect(await refusalOf(name, { ...right, ...handle })).toBeNull();
      expect(warn.mock.calls).toEqual([[expect.stringContaining('patch'), { code: 'SALLYPORT_DRIVER_UNMENDED' }]]);
    } finally {
      warn.mockRestore();
    }
  });
});
