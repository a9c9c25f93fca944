import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { createProtectedApp } from './protected-app.js';

/** A server on a socket, and a client whose clock and connection the test controls. */
async function createPair({ aheadMillis = 0 } = {}) {
  const { app, handled } = await createProtectedApp({ store: createMemoryStore() });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const device = { aheadMillis };
  const sent: { url: string; init: RequestInit }[] = [];
  const client = createEnvelopeClient({
    baseUrl,
    now: () => Date.now() + device.aheadMillis,
    fetch: async (input, init = {}) => {
      sent.push({ url: String(input), init });
      return fetch(input, init);
    },
  });
  return { client, device, handled, sent };
}

const post = (n: number): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': '0b6fa2b1-5a3c-4f0e-9a43-3d7d6b0f9c1e' },
  body: JSON.stringify({ n }),
});

describe('with the client of envelope-crypto', () => {
  it('RG-01 ENV-4 a recorded request is refused when it is sent again, and the next request is accepted', async () => {
    const { client, handled, sent } = await createPair();
    expect(await (await client.fetch('/payments', post(1))).json()).toEqual({ data: 'done' });
    const { url, init } = sent.at(-1)!;
    const replay = await fetch(url, init);
    expect(replay.status).toBe(400);
    expect(await replay.json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED', serverTime: expect.any(Number) });
    expect((await client.fetch('/payments', post(2))).status).toBe(200);
    expect(handled).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('RG-01 a query envelope is refused the second time too', async () => {
    const { client, sent } = await createPair();
    expect((await client.fetch('/payments?page=1')).status).toBe(200);
    const { url, init } = sent.at(-1)!;
    expect((await fetch(url, init)).status).toBe(400);
  });

  it('RPL-3 a memory store serves a device two minutes ahead, which adopts the clock of the bootstrap', async () => {
    const { client, sent } = await createPair({ aheadMillis: 120_000 });
    expect((await client.fetch('/payments', post(1))).status).toBe(200);
    expect(sent).toHaveLength(2);
  });

  it('RPL-3 RPL-5 a device whose clock jumps ahead is served by the one retry, with its Idempotency-Key', async () => {
    const { client, device, handled, sent } = await createPair();
    await client.bootstrap();
    device.aheadMillis = 120_000;
    expect((await client.fetch('/payments', post(1))).status).toBe(200);
    expect(handled).toEqual([{ n: 1 }]);
    const [, refused, accepted] = sent.map(({ init }) => new Headers(init.headers).get('idempotency-key'));
    expect(sent).toHaveLength(3);
    expect(accepted).toBe(refused);
  });
});
