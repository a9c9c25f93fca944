import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyPluginAsync } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import authTokens, { generateSigningKey } from '../../packages/auth-tokens/src/index.js';
import { createCaptchas } from '../../packages/captcha/src/index.js';
import envelopeCrypto from '../../packages/envelope-crypto/src/index.js';
import idempotency from '../../packages/idempotency/src/index.js';
import loginPolicy from '../../packages/login-policy/src/index.js';
import { createOneTimeCodes } from '../../packages/one-time-codes/src/index.js';
import replayGuard from '../../packages/replay-guard/src/index.js';
import { createMemoryFactorRecords, createSecondFactors } from '../../packages/second-factor/src/index.js';
import { createMemoryStore, type TtlStore } from '../../packages/ttl-store/src/index.js';

const envelope = { mode: 'REQUIRED', keyId: 'k', privateKey: randomBytes(32).toString('hex'), kernelThread: false };
const guarded: FastifyPluginAsync<{ store: TtlStore }> = Object.assign(
  async (app: Parameters<FastifyPluginAsync>[0], options: { store: TtlStore }) => {
    await app.register(envelopeCrypto, { ...envelope, mode: 'REQUIRED' });
    await app.register(replayGuard, options);
  },
  { [Symbol.for('skip-override')]: true },
);

const plugins: readonly [string, unknown, object, RegExp][] = [
  ['auth-tokens', authTokens, { issuer: 'https://example.com', signingKey: generateSigningKey() }, /every session/],
  ['login-policy', loginPolicy, {}, /failures and locks/],
  ['idempotency', idempotency, { principalOf: () => 'ada' }, /retry runs twice.*createPostgresIdempotencyStore/],
  ['replay-guard', guarded, {}, /accepts an envelope once/],
];

/** The warnings of memory stores in the log of an application with the plugin. */
async function warningsOf(plugin: unknown, options: object, store: TtlStore): Promise<string[]> {
  const lines: { code?: string; msg: string }[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = Fastify({ logger: { level: 'warn', stream } });
  onTestFinished(() => app.close());
  const given: object = { store, ...options };
  await app.register(plugin as FastifyPluginAsync<object>, given);
  await app.ready();
  return lines.filter(({ code }) => code === 'SALLYPORT_MEMORY_STORE').map(({ msg }) => msg);
}

const shared = (): TtlStore => ({ ...createMemoryStore(), lifetime: 'shared' });

describe.each(plugins)('ADP-15 the memory store of %s', (name, plugin, options, loss) => {
  afterEach(() => vi.unstubAllEnvs());

  it('is said once in production, with what is lost and the option to set', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const warnings = await warningsOf(plugin, options, createMemoryStore());
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(new RegExp(`^${name}: \`store\` is in the memory of this process: .*Give \`store\` `));
    expect(warnings[0]).toMatch(loss);
    expect(await warningsOf(plugin, options, shared())).toEqual([]);
  });

  it('is not said elsewhere', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    expect(await warningsOf(plugin, options, createMemoryStore())).toEqual([]);
  });
});

describe('ADP-15 a memory store of a package without a log', () => {
  beforeEach(() => vi.stubEnv('NODE_ENV', 'production'));
  afterEach(() => vi.unstubAllEnvs());

  it.each<[string, (store: TtlStore) => unknown]>([
    ['captcha', (store) => createCaptchas({ store })],
    [
      'second-factor',
      (store) => {
        const records = createMemoryFactorRecords();
        createSecondFactors({ store, records, key: { id: 'k1', secret: randomBytes(32) }, issuer: 'Shop' });
      },
    ],
    ['one-time-codes', (store) => createOneTimeCodes({ store, key: randomBytes(32), send: async () => {} })],
  ])('is a warning of the process: %s', (name, create) => {
    const emitted = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => emitted.mockRestore());
    create(shared());
    create(createMemoryStore());
    create(createMemoryStore());
    expect(emitted.mock.calls).toEqual([
      [expect.stringMatching(`^${name}: \`store\` is in the memory`), { code: 'SALLYPORT_MEMORY_STORE' }],
    ]);
  });
});
