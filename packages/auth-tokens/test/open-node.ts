import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance } from 'fastify';
import { vi } from 'vitest';
import authTokens, { type AuthTokensOptions } from '../src/index.js';
import { issuer, openApp, signingKey, storeClockOf, TestClock } from './test-app.js';

export const owner = { subject: 'u-1', audience: 'admin' };
export const access = { access: 'admin' } as const;

/** A store whose calls are counted, and which can be away. */
export function createWatchedStore(clock = new TestClock()) {
  const memory = createMemoryStore({ now: clock.now });
  const calls = { get: 0, getAll: 0, write: 0 };
  const state = { isAway: false };
  async function answer<Result>(call: keyof typeof calls, ask: () => Promise<Result> | undefined): Promise<Result> {
    calls[call] += 1;
    if (state.isAway) throw new Error('away');
    return (await ask()) as Result;
  }
  const store: TtlStore = {
    ...memory,
    get: (key) => answer('get', () => memory.get(key)),
    getAll: (keys) => answer('getAll', () => memory.getAll?.(keys)),
    compareAndSet: (...given) => answer('write', () => memory.compareAndSet(...given)),
  };
  return { clock, store, memory, calls, state };
}

export type WatchedStore = ReturnType<typeof createWatchedStore>;

/** A source that the test feeds. */
class FedSource extends Readable {
  override _read(): void {}
}

/** A listening server on the store. `sources` are the streams that it has sent, `stored` its uploads. */
export async function openNode(
  { clock, store }: Pick<WatchedStore, 'clock' | 'store'>,
  options: Partial<AuthTokensOptions> = {},
  addRoutes: (app: FastifyInstance) => void = () => {},
  app = openApp({ forceCloseConnections: true }),
) {
  const sources: FedSource[] = [];
  const uploads = { begun: 0, failed: 0, stored: 0 };
  await app.register(authTokens, { store, issuer, signingKey, clock: storeClockOf(clock), ...options });
  app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
  const feed = () => {
    const source = new FedSource();
    sources.push(source);
    return source;
  };
  app.get('/stream', { config: access }, async () => feed());
  app.get('/public', { config: { access: 'public' } }, async () => feed());
  app.post('/upload', { config: access }, async (request) => {
    uploads.begun += 1;
    try {
      for await (const _chunk of request.raw);
    } catch (error) {
      uploads.failed += 1;
      throw error;
    }
    uploads.stored += 1;
    return 'stored';
  });
  app.post('/json', { config: access }, async () => 'made');
  app.get('/me', { config: access }, async ({ principal }) => principal);
  addRoutes(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, sources, uploads, tokens: app.authTokens };
}

/** The beats of every node, and the monotonic clock. Call it before a node is opened. */
export function useMovedBeats(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
}

/** Lets seconds pass, and what a beat begins be done. */
export async function passSeconds(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1000);
    await settle();
  }
}

export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

/** Lets the event loop turn until it is so, at most 5 s. */
export async function until(isSo: () => boolean): Promise<void> {
  const began = Date.now();
  while (!isSo()) {
    if (Date.now() - began > 5000) throw new Error(`It is never so: ${isSo}`);
    await nextTurn();
  }
}
