import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import {
  createNdjsonTarget,
  type NdjsonTargetOptions,
  TargetRefusedError,
  TargetUnavailableError,
} from '../../src/delivery.js';
import { createTestAuthority } from './certificates.js';
import { makeDelivered } from './delivered.js';

const records = Array.from({ length: 30 }, (_, index) => makeDelivered({ sequence: index + 1 }));

describe('the NDJSON target', () => {
  let server: Server | null = null;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = null;
  });

  async function listen(created: Server): Promise<number> {
    server?.closeAllConnections();
    server?.close();
    server = created.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const receive = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}/in`;
  const send = (url: string, options: Partial<NdjsonTargetOptions> = {}, signal = new AbortController().signal) =>
    createNdjsonTarget({ url, timeoutMillis: 3000, ...options }).send(records, signal);
  const failureOf = (sending: Promise<void>) =>
    sending.then(
      () => null,
      (error: unknown) => error as TargetRefusedError | TargetUnavailableError,
    );
  const answering = (status: number, headers = {}) =>
    receive((request, response) => {
      request.resume();
      response.writeHead(status, headers).end('answer');
    });

  it('AUD-13 a batch is one POST with a line for each record, and a 2xx acknowledges it', async () => {
    const requests: IncomingMessage[] = [];
    const bodies: string[] = [];
    const url = await receive(async (request: IncomingMessage, response: ServerResponse) => {
      requests.push(request);
      bodies.push(await text(request));
      response.writeHead(204).end();
    });
    await send(url, { headers: { authorization: 'Bearer abc' } });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/in' });
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'content-type': 'application/x-ndjson',
      'content-length': String(Buffer.byteLength(bodies[0] ?? '')),
    });
    const lines = bodies[0]?.trimEnd().split('\n') ?? [];
    expect(lines.map((line) => JSON.parse(line).sequence)).toEqual(records.map(({ sequence }) => sequence));
  });

  it.each([500, 502, 503, 504, 408, 425, 429])('AUD-13 %i is tried again', async (status) => {
    const failure = await failureOf(send(await answering(status, { 'retry-after': '7' })));
    expect(failure).toBeInstanceOf(TargetUnavailableError);
    expect(failure).toMatchObject({ message: `The NDJSON receiver answered ${status}`, retryAfterMillis: 7000 });
  });

  it.each([
    ...[301, 307, 401, 403, 404, 405, 409, 415].map((status) => [status, false] as const),
    ...[400, 413, 422].map((status) => [status, true] as const),
  ])('AUD-13 %i stops the delivery; halving the batch may help: %s', async (status, isDivisible) => {
    const failure = await failureOf(send(await answering(status, { location: 'http://127.0.0.1:1/' })));
    expect(failure).toBeInstanceOf(TargetRefusedError);
    expect(failure).toMatchObject({ isDivisible, message: `The NDJSON receiver answered ${status}` });
  });

  it('AUD-13 an answer that is incomplete, late, too long or missing acknowledges nothing', async () => {
    const half = await receive((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': '10' }).write('ab', () => response.destroy());
    });
    expect((await failureOf(send(half)))?.message).toMatch(/^The NDJSON receiver: /);
    const late = await receive((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': '10' }).write('ab');
    });
    expect((await failureOf(send(late, { timeoutMillis: 200 })))?.message).toMatch(/no answer in 200 ms$/);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    expect((await failureOf(send(late, {}, abort.signal)))?.message).toMatch(/given up$/);
    const long = await receive((request, response) => {
      request.resume();
      response.writeHead(200).end('x'.repeat(2_000_000));
    });
    expect((await failureOf(send(long)))?.message).toMatch(/the answer is too long$/);
    const none = await receive((request) => void request.destroy());
    expect(await failureOf(send(none))).toBeInstanceOf(TargetUnavailableError);
    expect((await failureOf(send('http://127.0.0.1:1/')))?.message).toMatch(/ECONNREFUSED/);
  });

  it.skipIf(lacks('openssl'))('AUD-13 over TLS with a CA, a client certificate and a server name', async () => {
    const authority = await createTestAuthority();
    try {
      const [receiver, client] = [await authority.issue('server'), await authority.issue('client')];
      const tls = { ...receiver, ca: authority.ca, requestCert: true, rejectUnauthorized: true };
      const answerNothing: RequestListener = (request, response) => {
        request.resume();
        response.end();
      };
      const port = await listen(createTlsServer(tls, answerNothing));
      const url = `https://127.0.0.1:${port}/`;
      const options = { ca: authority.ca, servername: 'server.test', ...client };
      await send(url, options);
      expect((await failureOf(send(url, { ...options, servername: 'other.test' })))?.message).toMatch(/match/);
      expect(await failureOf(send(url, { ...client, servername: 'server.test' }))).toBeInstanceOf(
        TargetUnavailableError,
      );
      expect(await failureOf(send(url, { ...options, cert: undefined, key: undefined }))).not.toBeNull();
    } finally {
      await authority.remove();
    }
  });
});
