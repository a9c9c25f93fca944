import { randomUUID } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { IdempotencyRouteOptions } from '../src/index.js';
import { createIdempotentApp, type IdempotentApp, newKey } from './idempotent-app.js';

type Values = Readonly<Record<string, unknown>>;

/** As a route with schemas of zod: `z.uuid().default(randomUUID)` in the body, `z.coerce.bigint()` in the path. */
function startNode(content: NonNullable<IdempotencyRouteOptions['content']>): Promise<IdempotentApp> {
  return createIdempotentApp({ store: createMemoryStore() }, (app: FastifyInstance, rows) => {
    app.route({
      ...{ method: 'PUT', url: '/orders/:id', config: { idempotency: { content } } },
      schema: { body: {}, params: {}, querystring: {} },
      validatorCompiler:
        ({ httpPart }) =>
        (given: Values) => {
          if (httpPart === 'params') return { value: { id: BigInt(given.id as string) } };
          return { value: httpPart === 'body' ? { reference: randomUUID(), ...given } : { at: Date.now(), ...given } };
        },
      handler: async (request) => ({ data: rows.push(request.body) }),
    });
    app.put('/coerced', {
      config: { idempotency: { content } },
      schema: { body: { type: 'object', properties: { amount: { type: 'number' } } } },
      handler: async (request) => ({ data: rows.push(request.body) }),
    });
  });
}

const put = (node: IdempotentApp, key: string, body: object, url = '/orders/7') =>
  node.submit({ method: 'PUT', key, url, body });
const codeOf = async (answer: ReturnType<typeof put>) => (await answer).json().code ?? (await answer).statusCode;

describe("ADP-14 IDM-4 with content: 'as-sent'", () => {
  it('a retry is known although the schema makes other values of it, and some that are not JSON', async () => {
    const node = await startNode('as-sent');
    const key = newKey();
    expect(await codeOf(put(node, key, { amount: '1' }))).toBe(200);
    expect(await codeOf(put(node, key, { amount: '1' }))).toBe('IDEMPOTENCY_SUBMITTED');
    expect(await codeOf(put(node, key, { amount: '2' }))).toBe('IDEMPOTENCY_DIGEST_MISMATCH');
    expect(await codeOf(put(node, key, { amount: '1' }, '/orders/7?x=1'))).toBe('IDEMPOTENCY_DIGEST_MISMATCH');
    expect(await codeOf(put(node, key, { amount: '1' }, '/orders/8'))).toBe(200);
    expect(node.rows).toEqual([
      { amount: '1', reference: expect.any(String) },
      { amount: '1', reference: expect.any(String) },
    ]);
  });

  it('a body is covered as it was before a validator changed it in place', async () => {
    const node = await startNode('as-sent');
    const key = newKey();
    expect(await codeOf(put(node, key, { amount: '1' }, '/coerced'))).toBe(200);
    expect(await codeOf(put(node, key, { amount: 1 }, '/coerced'))).toBe('IDEMPOTENCY_DIGEST_MISMATCH');
    expect(await codeOf(put(node, key, { amount: '1' }, '/coerced'))).toBe('IDEMPOTENCY_SUBMITTED');
    expect(node.rows).toEqual([{ amount: 1 }]);
  });

  it('without it two spellings are one request, and a bigint is refused with the setting in the log', async () => {
    const node = await startNode('request');
    const key = newKey();
    expect(await codeOf(put(node, key, { amount: '1' }, '/coerced'))).toBe(200);
    expect(await codeOf(put(node, key, { amount: 1 }, '/coerced'))).toBe('IDEMPOTENCY_SUBMITTED');
    expect(await codeOf(put(node, newKey(), { amount: '1' }))).toBe('IDEMPOTENCY_BODY_UNSUPPORTED');
  });
});
