import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { createGate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';
import { type OpenedKind, storeKinds } from './store-kinds.js';

/** The table of states, tested by requests to two nodes on one store, for every kind of store. */
describe.each(storeKinds)('two nodes on %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('answer', () => {
    let kind: OpenedKind;
    const start = async (): Promise<[IdempotentApp, IdempotentApp]> => [
      await createIdempotentApp({ store: kind.nodes[0] }),
      await createIdempotentApp({ store: kind.nodes[1] }),
    ];

    beforeAll(async () => {
      kind = await open();
    });
    afterAll(() => kind.close());

    it('IDM-3 ID-02 ID-03 REL-4 of 50 concurrent copies one is done and the others are told so', async () => {
      const nodes = await start();
      for (let round = 0; round < 5; round += 1) {
        const key = newKey();
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) => (nodes[index % 2] as IdempotentApp).submit({ key })),
        );
        const { done, ...refused } = tally(answers);
        expect(done).toBe(1);
        expect(Object.keys(refused).filter((code) => !/^IDEMPOTENCY_(PROCESSING|SUBMITTED)$/.test(code))).toEqual([]);
        expect(nodes[0].rows.length + nodes[1].rows.length).toBe(round + 1);
        expect(tally([await nodes[round % 2 ? 0 : 1].submit({ key })])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
      }
    });

    it('IDM-3 ID-04 refuses other content under the key, during the first run and after it', async () => {
      const gate = createGate();
      const [, other] = await start();
      const one = await createIdempotentApp({ store: kind.nodes[0] }, (app, rows) => {
        app.post('/slow', { config: { idempotency: true } }, async (request) => {
          await gate.pass();
          return { data: rows.push(request.body) };
        });
      });
      const elsewhere = await createIdempotentApp({ store: kind.nodes[1] }, (app, rows) => {
        app.post('/slow', { config: { idempotency: true } }, async (request) => ({ data: rows.push(request.body) }));
      });
      const key = newKey();
      const first = { key, url: '/slow', body: { amount: '1' } };
      const changed = { ...first, body: { amount: '2' } };
      const running = one.submit(first);
      await gate.arrival();
      expect(tally([await elsewhere.submit(changed)])).toEqual({ IDEMPOTENCY_DIGEST_MISMATCH: 1 });
      expect(tally([await elsewhere.submit(first)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
      gate.open();
      expect((await running).statusCode).toBe(200);
      expect(tally([await elsewhere.submit(changed)])).toEqual({ IDEMPOTENCY_DIGEST_MISMATCH: 1 });
      expect(tally([await elsewhere.submit(first)])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
      expect([...one.rows, ...elsewhere.rows, ...other.rows]).toEqual([{ amount: '1' }]);
    });

    it('IDM-2 ID-09 ID-12 separates equal keys of different callers, methods and paths', async () => {
      const [one, other] = await start();
      const key = newKey();
      const answers = [
        await one.submit({ key }),
        await other.submit({ key, user: 'bob' }),
        await other.submit({ key, user: 'eve', body: { amount: '999' } }),
        await other.submit({ key, method: 'PUT' }),
        await one.submit({ key, url: '/refunds' }),
        await other.submit({ key, method: 'PUT', url: '/payments/1' }),
        await other.submit({ key, method: 'PUT', url: '/payments/2' }),
      ];
      expect(tally(answers)).toEqual({ done: 7 });
      expect(tally([await other.submit({ key }), await one.submit({ key, user: 'bob' })])).toEqual({
        IDEMPOTENCY_SUBMITTED: 2,
      });
    });

    it('IDM-2 treats different spellings of a path as one route', async () => {
      const [one, other] = await start();
      const key = newKey();
      expect((await one.submit({ key, method: 'PUT', url: '/payments/a%62c' })).statusCode).toBe(200);
      for (const url of ['/payments/abc', '/%70ayments/abc', '/payments/%61bc']) {
        expect(tally([await other.submit({ key, method: 'PUT', url })])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
      }
    });

    it('IDM-6 ID-18 REL-1 the outcome of a dead run is unknown once its lease has run out, for good', async () => {
      const gate = createGate();
      const [, other] = await start();
      const dying = await createIdempotentApp({ store: kind.nodes[0] }, (app, rows) => {
        app.patch('/payments', { config: { idempotency: true } }, async (request) => {
          await gate.pass();
          return { data: rows.push(request.body) };
        });
      });
      const elsewhere = await createIdempotentApp({ store: kind.nodes[1] }, (app, rows) => {
        app.patch('/payments', { config: { idempotency: true } }, async (request) => ({
          data: rows.push(request.body),
        }));
      });
      const submission = { key: newKey(), method: 'PATCH' } as const;
      const lost = dying.submit(submission);
      await gate.arrival();
      expect(tally([await elsewhere.submit(submission)])).toEqual({ IDEMPOTENCY_PROCESSING: 1 });
      await kind.lapseLeases();
      const answers = await Promise.all(Array.from({ length: 20 }, () => elsewhere.submit(submission)));
      const { IDEMPOTENCY_OUTCOME_UNKNOWN: unknown, IDEMPOTENCY_PROCESSING: busy = 0, ...more } = tally(answers);
      expect(unknown).toBeGreaterThan(0);
      expect([Number(unknown) + busy, more]).toEqual([20, {}]);
      // REL-6: the run was only paused. It can't change the answers; its own client learns the result.
      gate.open();
      expect((await lost).statusCode).toBe(200);
      expect(tally([await elsewhere.submit(submission)])).toEqual({ IDEMPOTENCY_OUTCOME_UNKNOWN: 1 });
      expect(elsewhere.rows).toEqual([]);
      expect(dying.warnings).toEqual([expect.stringContaining('too late')]);
      expect(other.rows).toEqual([]);
    });

    it('IDM-5 ID-24 a key beyond its retention runs like a new one', async () => {
      const [one, other] = await start();
      const key = newKey();
      await one.submit({ key });
      await kind.expireRecords();
      expect((await other.submit({ key, body: { amount: '2' } })).statusCode).toBe(201);
      expect(tally([await one.submit({ key, body: { amount: '2' } })])).toEqual({ IDEMPOTENCY_SUBMITTED: 1 });
    });

    it('IDM-5 ID-28 ID-14 the store holds hashes, states and times, and no key, name or part of the body', async () => {
      const [one] = await start();
      const key = newKey();
      const name = `Ada ${randomUUID()}`;
      await one.submit({ key, user: name, body: { payee: name, amount: 'EUR 12.50' }, url: '/payments' });
      const held = await kind.dump();
      expect(held).toMatch(/SUBMITTED/);
      for (const secret of [key, name, 'EUR 12.50', 'payments', 'payee']) expect(held).not.toContain(secret);
    });

    it('IDM-2 ID-12 looks up the keys of one principal only', async () => {
      const [one, other] = await start();
      const key = newKey();
      await one.submit({ key });
      await one.submit({ key, method: 'PUT', url: '/payments/7' });
      const lookUp = other.app.idempotency.lookUp;
      expect(await lookUp('user:ada', key.toUpperCase())).toEqual([
        { method: 'POST', url: '/payments', state: 'SUBMITTED', originalStatus: null, location: null },
      ]);
      const route = { method: 'PUT', url: '/payments/:id', params: { id: '7' } };
      expect(await lookUp('user:ada', key, route)).toEqual([
        { method: 'PUT', url: '/payments/:id', state: 'SUBMITTED', originalStatus: null, location: null },
      ]);
      expect(await lookUp('user:bob', key)).toEqual([]);
      expect(await lookUp(null, key)).toEqual([]);
      await expect(lookUp('user:ada', 'x')).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_INVALID' });
    });
  });
});
