import { randomBytes, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import envelopeCrypto from '../../packages/envelope-crypto/src/index.js';
import idempotency from '../../packages/idempotency/src/index.js';
import replayGuard from '../../packages/replay-guard/src/index.js';
import { recipientOf, sealPost } from '../../packages/replay-guard/test/sealed-request.js';
import { createMemoryStore } from '../../packages/ttl-store/src/index.js';

describe('IDM-4 ENV-4 a sealed request under a key', () => {
  it.each(['request', 'as-sent'] as const)(
    "covers its plaintext with content: '%s', sealed or not",
    async (content) => {
      const app = Fastify();
      onTestFinished(() => app.close());
      const privateKey = randomBytes(32).toString('hex');
      await app.register(envelopeCrypto, { mode: 'OPTIONAL', keyId: 'k', privateKey, kernelThread: false });
      await app.register(replayGuard, { store: createMemoryStore() });
      await app.register(idempotency, { store: createMemoryStore(), principalOf: () => 'ada' });
      const paid: unknown[] = [];
      app.post('/payments', { config: { idempotency: { content } } }, async ({ body }) => ({ data: paid.push(body) }));
      await app.ready();
      const recipient = recipientOf(app.envelopeCrypto);
      const sealed = (body: object, idempotencyKey: string) =>
        app.inject(sealPost(recipient, '/payments', JSON.stringify(body), { idempotencyKey }));
      const plain = (payload: object, key: string) =>
        app.inject({ method: 'POST', url: '/payments', headers: { 'idempotency-key': key }, payload });

      const [key, other] = [randomUUID(), randomUUID()];
      const statuses = [
        await sealed({ amount: 1 }, key),
        await sealed({ amount: 1 }, key),
        await sealed({ amount: 999 }, key),
        await plain({ amount: 1 }, key),
        await plain({ amount: 999 }, key),
        await sealed({ amount: 999 }, other),
      ].map(({ statusCode }) => statusCode);
      expect(statuses).toEqual([200, 409, 422, 409, 422, 200]);
      expect(paid).toEqual([{ amount: 1 }, { amount: 999 }]);
    },
  );
});
