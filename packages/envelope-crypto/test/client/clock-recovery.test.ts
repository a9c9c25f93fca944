import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createEnvelopeClient } from '../../src/client/index.js';
import { envelopeCrypto, publicKeyRoute } from '../../src/index.js';
import { injectedFetch } from '../injected-fetch.js';
import { privateKey, testGuard } from '../service.js';

const HOUR_MILLIS = 3_600_000;

/** A service with Fastify's own error handler: its refusals have a code, and no `serverTime`. */
async function createPlainService() {
  const app = fastify();
  await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'k', privateKey: privateKey() });
  await app.register(testGuard, {
    store: { claimed: new Set<string>(), asked: [], unreachable: false, asleep: false },
  });
  await app.register(publicKeyRoute);
  const served: string[] = [];
  app.all('/echo', async ({ method }) => {
    served.push(method);
    return { data: 'served' };
  });
  const inject = injectedFetch(app);
  let answerOnce: (() => Response) | null = null;
  let answerAlways: (() => Response) | null = null;
  const device = { aheadMillis: 0 };
  const sent: string[] = [];
  const client = createEnvelopeClient({
    baseUrl: 'https://plain.test',
    now: () => Date.now() + device.aheadMillis,
    async fetch(input, init) {
      const { pathname } = new URL(String(input));
      sent.push(`${init?.method ?? 'GET'} ${pathname}`);
      const forge = pathname === '/echo' ? (answerAlways ?? answerOnce) : null;
      if (forge === null) return inject(input, init);
      answerOnce = null;
      return forge();
    },
  });
  await client.bootstrap();
  sent.length = 0;
  return {
    ...{ app, client, device, sent, served },
    /** An attacker answers the next request himself. */
    forgeNext(body: object) {
      answerOnce = () => Response.json(body, { status: 400 });
    },
    forgeAlways(body: object) {
      answerAlways = () => Response.json(body, { status: 400 });
    },
  };
}

describe('ENV-4 a wrong clock, at a service whose refusals tell no time', () => {
  it('ENV-4 is corrected by the bootstrap, and a harmless request is repeated once', async () => {
    const { client, device, sent } = await createPlainService();
    device.aheadMillis = HOUR_MILLIS;
    expect((await client.fetch('/echo')).status).toBe(200);
    expect(sent).toEqual(['GET /echo', 'GET /encryption/public-key', 'GET /echo']);
    device.aheadMillis = -HOUR_MILLIS;
    const keyed = await client.fetch('/echo', { method: 'POST', headers: { 'idempotency-key': 'a' } });
    expect(keyed.status).toBe(200);
  });

  it('ENV-4 is corrected for the next request where this one may have taken effect', async () => {
    const { client, device, sent, served } = await createPlainService();
    device.aheadMillis = HOUR_MILLIS;
    const refused = await client.fetch('/echo', { method: 'POST' });
    expect(await refused.json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
    expect(sent).toEqual(['POST /echo', 'GET /encryption/public-key', 'POST /echo']);
    expect(served).toEqual(['POST']);
  });

  it('ENV-4 does not outlive the attack that set it', async () => {
    const { client, forgeNext } = await createPlainService();
    forgeNext({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED', serverTime: Date.now() - 48 * HOUR_MILLIS });
    await client.fetch('/echo', { method: 'POST' });
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(400);
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
  });

  it('ENV-4 is asked for once: a refusal that comes for ever causes one retry', async () => {
    const { client, sent, forgeAlways } = await createPlainService();
    forgeAlways({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
    expect((await client.fetch('/echo')).status).toBe(400);
    expect(sent).toEqual(['GET /echo', 'GET /encryption/public-key', 'GET /echo']);
  });

  it('ENV-4 is read once for all requests that were refused together', async () => {
    const { client, device, sent } = await createPlainService();
    device.aheadMillis = HOUR_MILLIS;
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.fetch('/echo')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(sent.filter((line) => line.endsWith('public-key'))).toHaveLength(1);
  });
});
