import { randomBytes } from 'node:crypto';
import { type FastifyError, type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import fp from 'fastify-plugin';
import {
  type BackendChoice,
  type EnvelopeCryptoOptions,
  EnvelopeExpiredOrReplayedError,
  EnvelopeReplayStoreUnavailableError,
  envelopeCrypto,
  publicKeyRoute,
} from '../src/index.js';

/** A clock that only tests move. */
interface Clock {
  now: number;
}

/** The memory and the faults of the tests' replay guard. */
export interface ReplayStore {
  readonly claimed: Set<string>;
  /** Every claim. */
  readonly asked: { keyId: string; nonce: string; recordMillis: number }[];
  unreachable: boolean;
  /** Accepts everything without a claim. */
  asleep: boolean;
}

/** A minimal replay guard. The real one is a package that depends on this one. */
export const testGuard = fp(
  async (
    app: FastifyInstance,
    { store, replayTtlSeconds = 300 }: { store: ReplayStore; replayTtlSeconds?: number },
  ) => {
    app.decorate('replayGuard', {} as never);
    app.addHook('preValidation', async function guardReplay({ envelope }) {
      if (envelope === null || store.asleep) return;
      if (store.unreachable) throw new EnvelopeReplayStoreUnavailableError();
      const { keyId, timestamp, receivedAt, timestampWindowSeconds } = envelope;
      const nonce = Buffer.from(envelope.nonce).toString('base64url');
      const ahead = timestamp + timestampWindowSeconds * 1000 - receivedAt;
      store.asked.push({ keyId, nonce, recordMillis: Math.max(replayTtlSeconds * 1000, ahead) + 60_000 });
      if (store.claimed.has(`${keyId}:${nonce}`)) throw new EnvelopeExpiredOrReplayedError(receivedAt);
      store.claimed.add(`${keyId}:${nonce}`);
      envelope.markClaimed();
    });
  },
  { name: 'test-guard' },
);

/** A service under test. */
export interface Service {
  readonly app: FastifyInstance;
  readonly clock: Clock;
  readonly store: ReplayStore;
  readonly keyId: string;
  /** Every line that was logged. */
  readonly log: string[];
}

export interface ServiceOptions {
  readonly crypto?: EnvelopeCryptoOptions;
  readonly server?: FastifyServerOptions;
  readonly replayTtlSeconds?: number;
  /** Plugins registered before envelope-crypto, such as authentication. */
  readonly before?: (app: FastifyInstance) => unknown;
  readonly routes?: (app: FastifyInstance) => unknown;
}

/**
 * The backend of all services under test that name none: set by `pnpm test:matrix`, else the plugin's default.
 */
const backend = process.env.SALLYPORT_TEST_BACKEND as BackendChoice | undefined;

export const privateKey = (): string => randomBytes(32).toString('hex');

/**
 * A whole service: encryption in mode REQUIRED by default, a replay guard, the bootstrap route,
 * problem+json.
 */
export async function createService({ crypto, server, replayTtlSeconds, before, routes }: ServiceOptions = {}) {
  const log: string[] = [];
  const clock: Clock = { now: 1_763_700_000_000 };
  const store: ReplayStore = { claimed: new Set(), asked: [], unreachable: false, asleep: false };
  const logger = {
    level: 'trace',
    stream: { write: (line: string) => log.push(line) },
    // As in the reference: the log does not need query envelopes.
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?', 1)[0] }),
    },
  };
  const app = fastify({ logger, ...server });

  app.setErrorHandler<FastifyError & { serverTime?: number }>((error, request, reply) => {
    request.log.info({ err: error }, 'refused');
    const { code, message, serverTime } = error;
    const status = error.statusCode ?? 500;
    const problem = { type: 'about:blank', status, code, detail: message, serverTime };
    return reply.code(status).type('application/problem+json').send(JSON.stringify(problem));
  });
  await before?.(app);
  const keyed = [crypto?.privateKey, crypto?.keyProvider, crypto?.keySource].every((given) => given === undefined);
  const key = keyed ? { keyId: 'test-key', privateKey: privateKey() } : {};
  await app.register(envelopeCrypto, {
    mode: 'REQUIRED',
    now: () => clock.now,
    ...(backend && { backend }),
    ...key,
    ...crypto,
  });
  await app.register(testGuard, { store, ...(replayTtlSeconds === undefined ? {} : { replayTtlSeconds }) });
  await app.register(publicKeyRoute);
  await routes?.(app);
  await app.ready();
  const service: Service = { app, clock, store, log, keyId: 'test-key' };
  return service;
}
