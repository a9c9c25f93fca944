import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { auditLog, createMemorySink } from '../src/index.js';

const params = { type: 'object', properties: { id: { type: 'integer' }, token: { type: 'integer' } } } as const;

/** The targets of the records of one request each. */
async function targetsOf(urls: readonly string[], set?: { target: string | number | null }) {
  const sink = createMemorySink();
  const app = Fastify();
  await app.register(auditLog, { sink });
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.authorization === undefined) return reply.code(401).send();
  });
  app.get('/orders/:id', { schema: { params }, config: { audit: 'order' } }, async (request) => {
    if (set !== undefined) request.audit?.set(set);
    if (set !== undefined) await request.audit?.record({ action: 'order.list', ...set });
    return {};
  });
  app.get('/tokens/:token', { schema: { params }, config: { audit: 'token' } }, () => '');
  app.get('/orders/:id/lines/:line', { config: { audit: 'line' } }, () => '');
  for (const url of urls) {
    await app.inject(url);
    await app.inject({ url, headers: { authorization: 'Bearer x' } });
  }
  await app.close();
  return sink.records().map(({ outcome, target }) => [outcome, target]);
}

it('AUD-2 the target is the same for a refusal and for a success, where the schema makes the parameter a number', async () => {
  expect(await targetsOf(['/orders/17'])).toEqual([
    ['refused', '17'],
    ['success', '17'],
  ]);
});

it('AUD-2 a secret in the path is no target, and neither is one of several parameters', async () => {
  const targets = await targetsOf(['/tokens/17', '/orders/1/lines/2']);
  expect(targets.map(([, target]) => target)).toEqual([null, null, null, null]);
});

it.each([
  [42, '42'],
  [1.5, '1.5'],
  ['o-1', 'o-1'],
  [null, null],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
])('AUD-2 a handler gives the target %s, in set and in record', async (target, stored) => {
  const [, additional, own] = await targetsOf(['/orders/17'], { target });
  expect([additional, own]).toEqual([
    ['success', stored],
    ['success', stored],
  ]);
});
