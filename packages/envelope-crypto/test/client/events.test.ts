import { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { createEnvelopeClient, type EnvelopeClient } from '../../src/client/index.js';
import { createService, type Service } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

const NEWS = ['{"news":1}', '{"news":2,"of":"张"}', '{"news":3}'];

async function streamOf(mode: 'OFF' | 'OPTIONAL' | 'REQUIRED') {
  const service = await createService({
    crypto: { mode },
    routes(app) {
      app.get('/news', async (request, reply) => {
        const seal = app.envelopeCrypto.sealEvents(request);
        const events = NEWS.map((text) => `data: ${seal(text)}\n\n`);
        return reply.type('text/event-stream').send(Readable.from(events));
      });
    },
  });
  opened.push(service);
  const baseUrl = await service.app.listen();
  const client = createEnvelopeClient({ baseUrl, now: () => service.clock.now });
  const response = await client.fetch('/news?about=all');
  const text = await response.text();
  const data = text.split('\n\n').flatMap((event) => (event === '' ? [] : [event.slice('data: '.length)]));
  return { service, client, response, data };
}

async function openAll(client: EnvelopeClient, response: Response, data: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const each of data) texts.push(await client.openEvent(response, each));
  return texts;
}

it.each(['OPTIONAL', 'REQUIRED'] as const)('API-5: each event of a stream is sealed by itself (%s)', async (mode) => {
  const { client, response, data } = await streamOf(mode);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(data).toHaveLength(NEWS.length);
  expect(data.join()).not.toContain('news');
  expect(await openAll(client, response, data)).toEqual(NEWS);
});

it('API-5: without encryption, the same program reads the events as they came', async () => {
  const { client, response, data } = await streamOf('OFF');
  expect(data).toEqual(NEWS);
  expect(await openAll(client, response, data)).toEqual(NEWS);
});

it('API-5: an event that is missing, changed, sent twice, late, or of another stream is refused', async () => {
  const { service, client, response, data } = await streamOf('REQUIRED');
  const [first, second] = data as [string, string];
  const refusal = { code: 'RESPONSE_REFUSED' };
  const other = await client.fetch('/news?about=all');
  await expect(client.openEvent(other, first)).rejects.toMatchObject(refusal);

  await client.openEvent(response, first);
  await expect(client.openEvent(response, first)).rejects.toMatchObject(refusal);
  const again = await streamOf('REQUIRED');
  await expect(again.client.openEvent(again.response, again.data[1]!)).rejects.toMatchObject(refusal);
  await expect(client.openEvent(response, NEWS[0]!)).rejects.toMatchObject(refusal);
  await expect(client.openEvent(response, second.replace('"ct":"', '"ct":"A'))).rejects.toMatchObject(refusal);

  const late = await streamOf('REQUIRED');
  late.service.clock.now += 3_600_000;
  await expect(late.client.openEvent(late.response, late.data[0]!)).rejects.toMatchObject(refusal);
  expect(service.clock.now).toBeLessThan(late.service.clock.now);
});

it('API-5: an event of a response that this client has not given is refused, in any mode', async () => {
  const plain = await streamOf('OFF');
  const sealed = await streamOf('REQUIRED');
  for (const { client } of [plain, sealed]) {
    for (const foreign of [new Response(NEWS[0]), (await client.fetch('/news?about=all')).clone()]) {
      await expect(client.openEvent(foreign, NEWS[0]!)).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
    }
  }
  const refusal = { code: 'RESPONSE_REFUSED' };
  await expect(plain.client.openEvent(sealed.response, NEWS[0]!)).rejects.toMatchObject(refusal);
  await expect(sealed.client.openEvent(plain.response, NEWS[0]!)).rejects.toMatchObject(refusal);
});

it('API-5: an event is no answer: it does not open in place of a sealed response', async () => {
  const { service, data } = await streamOf('REQUIRED');
  const forged = data[0]!;
  const forging = createEnvelopeClient({
    baseUrl: 'http://service.test',
    now: () => service.clock.now,
    async fetch(url) {
      const { pathname } = new URL(String(url));
      if (pathname !== '/news') {
        return Response.json((await service.app.inject(pathname)).json());
      }
      return new Response(forged, { headers: { 'content-type': 'application/json', 'api-encryption': 'v1' } });
    },
  });
  await expect(forging.fetch('/news?about=all')).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
});

it('API-5: the events of a request that was not delivered are not sealed in the clear', async () => {
  const { service } = await streamOf('REQUIRED');
  const { app } = service;
  expect(() =>
    app.envelopeCrypto.sealEvents({ ...({} as Parameters<typeof app.envelopeCrypto.sealEvents>[0]) }),
  ).toThrow();
});
