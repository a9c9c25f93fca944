import { randomBytes } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import { expect, test } from 'vitest';
import { createIdempotentApp, newKey } from './idempotent-app.js';

/** What a client sees of an answer. */
const seen = ({ statusCode, headers: { location, etag }, body }: Awaited<ReturnType<typeof twoNodes>>['first']) => ({
  statusCode,
  location,
  etag,
  body,
});

/** Two nodes on one memory store, and the first answer of one. Every store is in kept-answer.system.test.ts. */
async function twoNodes() {
  const answerKeys = [randomBytes(32)];
  const held: string[] = [];
  const store = createMemoryStore();
  const watched: typeof store = {
    ...store,
    compareAndSet: (key, expected, value, ttl) => {
      held.push(value);
      return store.compareAndSet(key, expected, value, ttl);
    },
  };
  let made = 0;
  const start = () =>
    createIdempotentApp({ store: watched, answerKeys }, (app) => {
      const config = { idempotency: { result: 'body', resultHeaders: ['ETag'] } } as const;
      app.post('/things', { config }, async (_request, reply) => {
        made += 1;
        return reply
          .code(201)
          .headers({ location: `/things/${made}`, etag: `"${made}"`, 'set-cookie': 'a=b' })
          .send({
            data: { id: made, note: 'plain words' },
          });
      });
    });
  const [one, other] = [await start(), await start()];
  const key = newKey();
  const first = await one.submit({ key, url: '/things' });
  return { one, other, key, first, held, made: () => made };
}

test('IDM-13 a retry on any node gets the first answer: status, headers and body, and no cookie', async () => {
  const { one, other, key, first, held, made } = await twoNodes();
  expect([first.statusCode, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
  for (const node of [other, one]) {
    const retry = await node.submit({ key, url: '/things' });
    expect(seen(retry)).toEqual(seen(first));
    expect([retry.headers['idempotent-replayed'], retry.headers['set-cookie']]).toEqual(['true', undefined]);
  }
  expect(made()).toBe(1);
  expect(held.join()).toMatch(/./);
  expect(held.join()).not.toContain('plain words');
});

test('IDM-13 nobody else gets it: not another caller, nor other content', async () => {
  const { other, key, first } = await twoNodes();
  const strange = await other.submit({ key, url: '/things', user: 'bob' });
  expect([strange.statusCode, strange.headers['idempotent-replayed']]).toEqual([201, undefined]);
  expect(strange.body).not.toBe(first.body);
  const changed = await other.submit({ key, url: '/things', body: { amount: '99.00' } });
  expect([changed.statusCode, changed.json().code]).toEqual([422, 'IDEMPOTENCY_DIGEST_MISMATCH']);
});
