import type { AddressInfo } from 'node:net';
import type { RouteHandlerMethod } from 'fastify';
import type { BackendChoice, KeyProvider } from '../src/index.js';
import { type EnvelopeSuite, sm2Sm4GcmV1 } from '../src/suites/index.js';
import type { VectorServer } from './published/vector-types.js';
import { createService, type Service } from './service.js';

/** End to end: bytes on a socket, Fastify, the plugin, a replay guard, a handler that answers as it is told. */
export interface Bench {
  readonly service: Service;
  readonly port: number;
  /** The handler's next answer, and what it received. */
  answer: { status: number; text: string };
  seen: { query: string; body: string | undefined; headers: Record<string, unknown> }[];
  keyProviderUnavailable: boolean;
}

export interface BenchOptions {
  /** The published keys, by `kid`: they are refused at the start, so a key provider holds them. */
  readonly privateKeys: ReadonlyMap<string, Uint8Array>;
  readonly backend?: BackendChoice;
  readonly suite?: EnvelopeSuite;
}

/** Services for vectors: one for each configuration. */
export function createBenches({ privateKeys, backend, suite = sm2Sm4GcmV1 }: BenchOptions) {
  const benches = new Map<string, Promise<Bench>>();

  async function createBench(server: VectorServer): Promise<Bench> {
    const bench: Partial<Bench> = {};
    const fresh = crypto.getRandomValues(new Uint8Array(32));
    fresh[0] = 1;
    const keyProvider: KeyProvider = {
      keyId: 'fresh',
      publicKey: Buffer.from(suite.publicKeyOf(fresh)).toString('hex'),
      previousKeyIds: server.kids,
      async unwrap(keyId, ciphertext) {
        if (bench.keyProviderUnavailable) throw new Error('connection refused');
        return suite.unwrapBaseKey(privateKeys.get(keyId)!, ciphertext);
      },
    };
    const service = await createService({
      replayTtlSeconds: server.replaySeconds,
      crypto: {
        mode: server.mode,
        keyProvider,
        ...(backend && { backend }),
        timestampWindowSeconds: server.timestampWindowSeconds,
        maxPayloadBytes: server.maxPayloadBytes,
        bypassRoutes: server.exempt ? ['/admin/auth/login'] : [],
      },
      routes(app) {
        const echo: RouteHandlerMethod = async (request, reply) => {
          bench.seen!.push({
            query: JSON.stringify(request.query),
            body: JSON.stringify(request.body),
            headers: request.headers,
          });
          return reply.code(bench.answer!.status).type('application/json').send(bench.answer!.text);
        };
        app.all('/actuator/health', echo);
        const methods = app.supportedMethods.filter((method) => method !== 'OPTIONS');
        for (const url of ['/admin/auth/login', '*']) {
          app.route({ method: methods, url, handler: echo });
          // A request that looks like a preflight is exempt only where a route answers OPTIONS alone.
          app.options(url, echo);
        }
      },
    });
    if (server.notBefore !== null) service.app.envelopeCrypto.refuseStampedBefore(server.notBefore);
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = service.app.server.address() as AddressInfo;
    return Object.assign(bench, { service, port } as Bench);
  }

  return {
    /** The clock, the store and the faults are set for each vector. */
    async benchFor(server: VectorServer): Promise<Bench> {
      const { now, recorded, unavailable, ...configuration } = server;
      const name = JSON.stringify(configuration);
      if (!benches.has(name)) benches.set(name, createBench(server));
      const bench = await benches.get(name)!;
      bench.service.clock.now = now;
      bench.service.store.claimed.clear();
      bench.service.store.asked.length = 0;
      for (const [kid, nonce] of recorded) bench.service.store.claimed.add(`${kid}:${nonce}`);
      bench.service.store.unreachable = unavailable === 'replay store';
      bench.keyProviderUnavailable = unavailable === 'key provider';
      bench.seen = [];
      bench.answer = { status: 200, text: '{"data":null}' };
      return bench;
    },

    async close(): Promise<void> {
      for (const bench of benches.values()) await (await bench).service.app.close();
    },
  };
}
