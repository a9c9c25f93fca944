import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { FastifyInstance } from 'fastify';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../scripts/free-port.mjs';
import { createPostgresIdempotencyStore } from '../src/postgres/index.js';
import { createGate } from './gate.js';
import { createIdempotentApp, newKey, tally } from './idempotent-app.js';

type Verb = 'compareAndDelete' | 'compareAndSet' | 'get' | 'set' | 'setIfAbsent';

/** A store whose verbs can be made to fail before they take effect, or after, as when the answer is lost. */
function createFailingStore() {
  const store = createMemoryStore({ now: () => Date.now() });
  const failures = new Map<Verb, 'before' | 'after'>();
  const wrap =
    (verb: Verb) =>
    async (...args: never[]): Promise<never> => {
      const failure = failures.get(verb);
      if (failure === 'before') throw new StoreUnavailableError();
      const result = await (store[verb] as (...args: never[]) => Promise<never>)(...args);
      if (failure === 'after') throw new StoreUnavailableError();
      return result;
    };
  const verbs = ['compareAndDelete', 'compareAndSet', 'get', 'set', 'setIfAbsent'] as const;
  const failing = {
    lifetime: store.lifetime,
    ...Object.fromEntries(verbs.map((verb) => [verb, wrap(verb)])),
  } as TtlStore;
  return {
    store: failing,
    fail: (how: 'before' | 'after', ...which: Verb[]) => {
      for (const verb of which.length > 0 ? which : verbs) failures.set(verb, how);
    },
    repair: () => failures.clear(),
  };
}

/** The time between two renewals or retries: a third of the lease. */
const STEP = 10_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('IDM-9 ID-21 a store that is away', () => {
  it.each(['before', 'after'] as const)(
    'is 503 without a run; the same key runs when the store is back (failing %s it took effect)',
    async (how) => {
      const { store, fail, repair } = createFailingStore();
      const node = await createIdempotentApp({ store });
      const key = newKey();
      fail(how);
      const refused = await node.submit({ key });
      expect([refused.statusCode, refused.json().code]).toEqual([503, 'IDEMPOTENCY_STORE_UNAVAILABLE']);
      expect(refused.headers['retry-after']).toBe('1');
      await expect(node.app.idempotency.lookUp('user:ada', key)).rejects.toMatchObject({ statusCode: 503 });
      repair();
      await vi.advanceTimersByTimeAsync(STEP);
      expect(tally([await node.submit({ key }), await node.submit({ key })])).toEqual({
        done: 1,
        IDEMPOTENCY_SUBMITTED: 1,
      });
      expect(node.rows).toHaveLength(1);
    },
  );

  it('is 503 for a retry too, and nothing runs', async () => {
    const { store, fail, repair } = createFailingStore();
    const node = await createIdempotentApp({ store });
    const key = newKey();
    await node.submit({ key });
    fail('before', 'get');
    expect(tally([await node.submit({ key })])).toEqual({ IDEMPOTENCY_STORE_UNAVAILABLE: 1 });
    repair();
    await vi.advanceTimersByTimeAsync(STEP);
    expect(tally([await node.submit({ key })])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    expect(node.rows).toHaveLength(1);
  });

  it('is retried for a bounded time: if it stays away, the record ends as unknown by its lease', async () => {
    const { store, fail, repair } = createFailingStore();
    const node = await createIdempotentApp({ store });
    const key = newKey();
    fail('after', 'setIfAbsent');
    fail('before', 'compareAndDelete');
    expect(tally([await node.submit({ key })])).toEqual({ IDEMPOTENCY_STORE_UNAVAILABLE: 1 });
    await vi.advanceTimersByTimeAsync(12 * STEP);
    expect(vi.getTimerCount()).toBe(0);
    repair();
    expect(tally([await node.submit({ key })])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    expect(node.rows).toEqual([]);
  });
});

describe('an error handler of the application', () => {
  const own = (app: FastifyInstance) =>
    void app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
      reply.code(error.statusCode ?? 500).send({ code: 'ours' }),
    );

  it('IDM-9 does not lose Retry-After of a store that is away', async () => {
    const { store, fail } = createFailingStore();
    const node = await createIdempotentApp({ store, retryAfterSeconds: 7 }, own);
    fail('before');
    const refused = await node.submit({ key: newKey() });
    expect([refused.statusCode, refused.json(), refused.headers['retry-after']]).toEqual([503, { code: 'ours' }, '7']);
  });

  it('IDM-3 does not lose Retry-After of a request that is being processed', async () => {
    const gate = createGate();
    const node = await createIdempotentApp({ store: createMemoryStore(), retryAfterSeconds: 7 }, (app) => {
      own(app);
      app.post('/slow', { config: { idempotency: true } }, async () => {
        await gate.pass();
        return 'done';
      });
    });
    const submission = { key: newKey(), url: '/slow' };
    const first = node.submit(submission);
    await gate.arrival();
    const refused = await node.submit(submission);
    expect([refused.statusCode, refused.json(), refused.headers['retry-after']]).toEqual([409, { code: 'ours' }, '7']);
    gate.open();
    const answer = await first;
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([200, undefined]);
  });
});

describe('IDM-6 a store that goes away while the handler runs', () => {
  it('the client gets the answer of the handler, and a retry is told once the store is back', async () => {
    const { store, fail, repair } = createFailingStore();
    const node = await createIdempotentApp({ store }, (app, rows) => {
      app.patch('/payments', { config: { idempotency: true } }, async (request) => {
        fail('before');
        return { data: rows.push(request.body) };
      });
    });
    const submission = { key: newKey(), method: 'PATCH' } as const;
    expect((await node.submit(submission)).statusCode).toBe(200);
    expect(node.warnings).toEqual([expect.stringContaining('could not be recorded')]);
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_STORE_UNAVAILABLE: 1 });
    repair();
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    await vi.advanceTimersByTimeAsync(STEP);
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    expect(node.rows).toHaveLength(1);
  });

  it('if it stays away beyond the lease, a retry is told that the outcome is unknown, and never runs', async () => {
    const { store, fail, repair } = createFailingStore();
    const node = await createIdempotentApp({ store }, (app, rows) => {
      app.patch('/payments', { config: { idempotency: true } }, async (request) => {
        fail('before', 'compareAndSet');
        return { data: rows.push(request.body) };
      });
    });
    const submission = { key: newKey(), method: 'PATCH' } as const;
    expect((await node.submit(submission)).statusCode).toBe(200);
    await vi.advanceTimersByTimeAsync(12 * STEP);
    repair();
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    expect(node.rows).toHaveLength(1);
  });
});

describe('IDM-6 the lease', () => {
  it('is renewed as long as the handler runs, and leaves no timer behind', async () => {
    const gate = createGate();
    const node = await createIdempotentApp({ store: createMemoryStore({ now: () => Date.now() }) }, (app) => {
      app.patch('/payments', { config: { idempotency: true } }, () => gate.pass().then(() => 'done'));
    });
    const submission = { key: newKey(), method: 'PATCH' } as const;
    const running = node.submit(submission);
    await gate.arrival();
    for (let turn = 0; turn < 30; turn += 1) {
      await vi.advanceTimersByTimeAsync(STEP);
      expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    }
    gate.open();
    expect((await running).statusCode).toBe(200);
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('of a handler that never ends is renewed for the retention at most, and leaves no timer behind', async () => {
    const options = { store: createMemoryStore({ now: () => Date.now() }), retentionSeconds: 60 };
    const gate = createGate();
    const node = await createIdempotentApp(options, (app) => {
      app.patch('/payments', { config: { idempotency: true } }, () => gate.pass());
    });
    const submission = { key: newKey(), method: 'PATCH' } as const;
    const running = node.submit(submission);
    await gate.arrival();
    await vi.advanceTimersByTimeAsync(6 * STEP);
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
    await vi.advanceTimersByTimeAsync(3 * STEP);
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    expect(vi.getTimerCount()).toBe(0);
    gate.open();
    await running;
  });

  it('that could not be renewed for long is lost with one warning, and the record of the other run stays', async () => {
    const gate = createGate();
    const { store, fail, repair } = createFailingStore();
    const node = await createIdempotentApp({ store }, (app) => {
      app.patch('/payments', { config: { idempotency: true } }, () => gate.pass().then(() => 'done'));
    });
    const submission = { key: newKey(), method: 'PATCH' } as const;
    const running = node.submit(submission);
    await gate.arrival();
    fail('before', 'compareAndSet');
    await vi.advanceTimersByTimeAsync(4 * STEP);
    repair();
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
    await vi.advanceTimersByTimeAsync(4 * STEP);
    expect(node.warnings).toEqual(['An idempotent run lost its lease and continues']);
    gate.open();
    expect((await running).statusCode).toBe(200);
    expect(tally([await node.submit(submission)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
  });
});

describe('IDM-9 ID-21 a PostgreSQL that is away', () => {
  it('is 503 without a run, and the error names neither key nor statement', async () => {
    const sql = postgres(`postgres://nobody@127.0.0.1:${await freePort()}/none`, {
      connect_timeout: 1,
      onnotice: () => {},
    });
    const store = createPostgresIdempotencyStore({ database: drizzle(sql), timeoutMillis: 500 });
    const node = await createIdempotentApp({ store });
    const refused = await node.submit({ key: newKey() });
    expect([refused.statusCode, refused.json().code]).toEqual([503, 'IDEMPOTENCY_STORE_UNAVAILABLE']);
    expect(node.rows).toEqual([]);
    await sql.end({ timeout: 0 });
  });
});
