import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { onTestFinished } from 'vitest';
import { auditLog, createMemorySink } from '../packages/audit-log/src/index.js';
import { authTokens, generateSigningKey } from '../packages/auth-tokens/src/index.js';
import { envelopeCrypto } from '../packages/envelope-crypto/src/index.js';
import { idempotency } from '../packages/idempotency/src/index.js';
import { replayGuard } from '../packages/replay-guard/src/index.js';
import { createMemoryStore } from '../packages/ttl-store/src/index.js';

/** A protection that routes declare by their `config`, and how a client sees that it is in force. */
export interface Protection {
  readonly name: string;
  readonly plugin: unknown;
  readonly options: () => object;
  /** What the application needs first. */
  readonly before?: (app: FastifyInstance) => unknown;
  /** What is registered in the same scope after it. */
  readonly after?: (app: FastifyInstance) => Promise<unknown>;
  /** Declares the protection. */
  readonly config: object;
  /** Asks for none. */
  readonly silent: object;
  /** What a hook could make of `config`. */
  readonly otherConfig: object;
  /** Whether routes that declare nothing may be registered before the plugin. */
  readonly isOptIn?: boolean;
  /** Whether routes that read can have it. */
  readonly reads: boolean;
  readonly isProtected: (
    app: FastifyInstance,
    method: InjectOptions['method'],
    url: string,
  ) => Promise<boolean | 'refused'>;
}

/** Whether a request is refused with a code; `refused` if nothing is served for another reason. */
function refusedWith(code: string): Protection['isProtected'] {
  return async function isRefused(app, method, url) {
    const { headers, statusCode, payload } = await app.inject({ method: method!, url });
    if (method === 'HEAD') return statusCode === 401 || statusCode === 400;
    if (statusCode === 500 && payload.includes('_SETUP_INVALID')) return 'refused';
    return String(headers['content-type']).includes('json') && payload.includes(code);
  };
}

const sinks: ReturnType<typeof createMemorySink>[] = [];
const recordCount = () => sinks.reduce((sum, sink) => sum + sink.records().length, 0);

const store = createMemoryStore();
const signingKey = generateSigningKey();
const privateKey = randomBytes(32).toString('hex');

/** Every plugin of the repository that reads the `config` of routes. */
export const protections: readonly Protection[] = [
  {
    name: 'auth-tokens',
    plugin: authTokens,
    options: () => ({ store, issuer: 'https://test.example', signingKey }),
    config: { access: 'admin' },
    silent: { access: 'public' },
    otherConfig: { access: 'public' },
    reads: true,
    isProtected: refusedWith('TOKEN_MISSING'),
  },
  {
    name: 'audit-log',
    plugin: auditLog,
    options() {
      const sink = createMemorySink();
      sinks.push(sink);
      return { sink };
    },
    config: { audit: 'order' },
    silent: { audit: false },
    otherConfig: { audit: false },
    reads: true,
    async isProtected(app, method, url) {
      const before = recordCount();
      await app.inject({ method: method!, url });
      return recordCount() > before;
    },
  },
  {
    name: 'idempotency',
    plugin: idempotency,
    options: () => ({ store, principalOf: () => 'u-1' }),
    config: { idempotency: true },
    isOptIn: true,
    silent: {},
    otherConfig: { idempotency: false },
    reads: false,
    isProtected: refusedWith('IDEMPOTENCY_KEY_REQUIRED'),
  },
  {
    name: 'envelope-crypto',
    plugin: envelopeCrypto,
    options: () => ({ mode: 'REQUIRED', keyId: 'k', privateKey, kernelThread: false }),
    after: async (app) => app.register(replayGuard, { store }),
    config: { bypassEnvelope: false },
    silent: {},
    otherConfig: { bypassEnvelope: true },
    reads: true,
    isProtected: refusedWith('ENVELOPE_REQUIRED'),
  },
];

/** An empty application, closed with the test. */
export async function openApp({ before }: Protection): Promise<FastifyInstance> {
  const app = Fastify();
  onTestFinished(() => app.close());
  await before?.(app);
  return app;
}
