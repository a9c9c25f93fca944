import { randomBytes, randomUUID } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, catalog } from '../../src/app.js';
import { isHost } from '../../src/protection/host-header.js';
import { type Actor, actor, roomy, root } from '../support/accounts.js';
import { sealed } from '../support/sealed-request.js';
import { bearer, openTestBench, type TestBench } from '../support/test-app.js';
import { writingRequests } from '../support/writing-requests.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('requests at the edge of HTTP', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  /** One valid request of each operation that writes. Those that are refused may be sent again. */
  const writing = new Map<string, InjectOptions>();
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    await app.listen({ host: '127.0.0.1', port: 0 });
    admin = await root(app);
    for (const [operation, prepare] of Object.entries(writingRequests)) {
      writing.set(operation, await prepare({ app, bench, admin }));
    }
  });
  afterAll(() => bench.close());

  const hasBody = (operation: string) => writing.get(operation)!.payload !== undefined;

  /** Sends raw bytes and returns everything until the server closes the connection. */
  async function raw(text: string): Promise<string> {
    const { port, address } = app.server.address() as AddressInfo;
    const socket = connect(port, address);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
    return answer;
  }

  describe('application/json without a body', () => {
    const without: Readonly<Record<string, InjectOptions>> = {
      'no length': {},
      'no chunk, a charset': {
        headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/json; charset=utf-8' },
      },
    };

    it.each(Object.entries(without))(
      'HTTP-5 is served on every route that takes no body (%s)',
      async (_what, { headers: more }) => {
        const bodiless = [...writing.keys()].filter((each) => !hasBody(each) || each === 'POST /auth/logout');
        expect(bodiless).toContain('DELETE /admin/roles/:id');
        for (const operation of bodiless) {
          const { payload: _, headers, ...request } = await writingRequests[operation]!({ app, bench, admin });
          const response = await app.inject({ ...request, headers: { ...headers, ...JSON_TYPE, ...more } });
          expect(response.statusCode, operation).toBeLessThan(300);
        }
      },
    );

    it('HTTP-5 changes nothing for a request that reads', async () => {
      const reading = Object.keys(catalog.operations).filter(
        (operation) => operation.startsWith('GET ') && !operation.endsWith('/stream'),
      );
      for (const operation of reading) {
        const url = operation.slice(4).replaceAll(/:\w+/g, randomUUID());
        const { headers } = admin;
        const plain = await app.inject({ url, headers });
        const typed = await app.inject({ url, headers: { ...headers, ...JSON_TYPE } });
        expect(typed.statusCode, operation).toBe(plain.statusCode);
      }
    });

    it('HTTP-5 ends the session on sign-out', async () => {
      const { headers } = await actor(app, admin, []);
      // With Content-Length: 0.
      const out = await fetch(`${app.listeningOrigin}/auth/logout`, {
        method: 'POST',
        headers: { ...headers, ...JSON_TYPE },
      });
      expect(out.status).toBe(204);
      expect((await app.inject({ url: '/admin/profile', headers })).json()).toMatchObject({ code: 'SESSION_REVOKED' });
    });

    it('HTTP-5 is refused where a body is needed', async () => {
      for (const [operation, { payload: _, headers, ...request }] of writing) {
        const isOptional = /\/(?:logout|recovery-codes|enrolment-code)$/.test(operation);
        if (!hasBody(operation) || isOptional || operation.includes('/storage/')) continue;
        const response = await app.inject({ ...request, headers: { ...headers, ...JSON_TYPE } });
        expect(response.json(), operation).toMatchObject({ status: 400, code: 'BODY_MALFORMED' });
      }
    });

    it('HTTP-5 is served in an envelope, in the query and in the body', async () => {
      const encrypted = await bench.app({
        ...roomy,
        SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
        SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      });
      for (const carrier of ['query', 'body'] as const) {
        const headers = await bearer(encrypted);
        const { options } = sealed(encrypted, { method: 'POST', url: '/auth/logout', headers, carrier });
        const response = await encrypted.inject({ ...options, headers: { ...options.headers, ...JSON_TYPE } });
        expect(response.statusCode, carrier).toBe(204);
        expect(response.headers['api-encryption']).toBeUndefined();
      }
    });
  });

  describe('the Host header', () => {
    it.each([
      'a',
      'A.example',
      'a_b.example:443',
      'a:',
      '127.0.0.1:3000',
      '[::1]',
      '[2001:db8::7]:65535',
      'xn--0zwm56d.',
    ])('HTTP-6 may be %s', (host) => expect(isHost(host)).toBe(true));

    const wrong = [
      '',
      ' ',
      'a b',
      'a,b',
      'a, b',
      'u@a',
      'http://a',
      'a/b',
      'a?b',
      'a#b',
      'a:b',
      'a:65536',
      'a:1:2',
      '[::1',
      '::1',
    ].concat(['[::1%25lo]', '[v1.a]', '[]', 'a\\b', 'a\tb', 'é', 'a%2eb', '<a>', '"a"', ':80']);
    it.each(wrong)('HTTP-6 is 400 if it is "%s"', (host) => expect(isHost(host)).toBe(false));

    const lines: Readonly<Record<string, readonly string[]>> = {
      'two of the same': ['Host: a', 'Host: a'],
      'two of different spelling': ['Host: a', 'hOST: b'],
      'an empty one beside it': ['Host: a', 'Host:'],
      'an invalid one': ['Host: a b'],
      'a path': ['Host: a/b'],
      none: [],
    };
    it.each(Object.entries(lines))(
      'HTTP-6 is 400 over a socket with %s, on every kind of path',
      async (_what, hosts) => {
        for (const target of ['/actuator/health', '/nothing', '/%']) {
          const head = [`GET ${target} HTTP/1.1`, ...hosts, 'Connection: close'].join('\r\n');
          const answer = await raw(`${head}\r\n\r\n`);
          expect(answer, target).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
          const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
          expect(problem).toMatchObject({ status: 400, code: target === '/%' ? 'URL_MALFORMED' : 'HOST_INVALID' });
        }
      },
    );

    const targets: readonly (readonly [string, string, number])[] = [
      ['GET', 'http://other.example/actuator/health', 400],
      ['GET', 'HTTP://a/actuator/health', 400],
      ['GET', 'https://a:443/nothing', 400],
      ['POST', 'http://other.example/admin/auth/login', 400],
      ['OPTIONS', 'http://other.example/admin/profile', 400],
      ['GET', '*', 400],
      ['OPTIONS', '*', 401],
      ['GET', '/actuator/health', 200],
      ['GET', '//other.example/actuator/health', 401],
    ];
    it.each(targets)('HTTP-6 is the only host: over a socket %s %s is %i', async (method, target, status) => {
      const answer = await raw(`${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      if (status === 400) expect(answer).toContain('"code":"URL_MALFORMED"');
    });

    it('HTTP-6 may be absent in HTTP/1.0', async () => {
      expect(await raw('GET /actuator/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.\d 200 OK\r\n/);
    });

    it('HTTP-6 is judged before the body is read, and in Chinese for those who ask', async () => {
      const headers = { host: 'a, b', 'accept-language': 'zh-CN' };
      const response = await app.inject({ method: 'POST', url: '/admin/auth/login', headers, payload: 'x' });
      expect(response.json()).toMatchObject({ status: 400, detail: '请求必须包含且只包含一个有效的 Host 请求头。' });
    });
  });

  describe('Content-Encoding', () => {
    it('HTTP-7 is 415 on every route that takes a body, uploads included', async () => {
      const taking = [...writing.keys()].filter(hasBody);
      expect(taking).toEqual(expect.arrayContaining(['POST /admin/storage/files', 'POST /admin/storage/simulate']));
      for (const operation of taking) {
        const { payload, headers, ...request } = writing.get(operation)!;
        const bytes = typeof payload === 'string' || payload instanceof Buffer ? payload : JSON.stringify(payload);
        for (const [encoding, body] of [
          ['gzip', gzipSync(bytes)],
          ['identity', bytes],
        ] as const) {
          const encoded = { ...JSON_TYPE, ...headers, 'content-encoding': encoding };
          const response = await app.inject({ ...request, headers: encoded, payload: body });
          expect(response.json(), operation).toMatchObject({ status: 415, code: 'CONTENT_ENCODING_UNSUPPORTED' });
          expect(response.headers).toMatchObject({ 'accept-encoding': 'identity', connection: 'close' });
        }
      }
    });

    it('HTTP-7 is 415 over a socket as well, in chunks, and the connection is closed', async () => {
      const head = ['POST /admin/auth/login HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
      const answer = await raw(
        `${[...head, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    });

    /** Sends a sign-in without a terminal, in a chunk. */
    const inChunks = (coding: string) => {
      const body = '{"username":"nobody","password":"x"}';
      const head = [
        'POST /admin/auth/login HTTP/1.1',
        'Host: a',
        'Content-Type: application/json',
        'Connection: close',
      ];
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      return raw(`${[...head, `Transfer-Encoding: ${coding}`].join('\r\n')}\r\n\r\n${chunks}`);
    };

    it.each([
      'gzip, chunked',
      'GZIP,chunked',
      'deflate,  chunked',
      'identity, chunked',
      'gzip\r\nTransfer-Encoding: chunked',
    ])('HTTP-7 is 415 for a body with another transfer coding than chunked (%j)', async (coding) => {
      const answer = await inChunks(coding);
      expect(answer).toMatch(/^HTTP\/1\.1 415 /);
      expect(answer).toContain('"code":"CONTENT_ENCODING_UNSUPPORTED"');
    });

    it('HTTP-7 takes chunked alone, in any case', async () => {
      for (const coding of ['chunked', 'CHUNKED']) {
        expect(await inChunks(coding)).toContain('"code":"VALIDATION_FAILED"');
      }
    });

    it('HTTP-7 comes after the token, and without a body it means nothing', async () => {
      const headers = { 'content-encoding': 'gzip' };
      const stranger = await app.inject({ method: 'PUT', url: '/admin/profile', headers, payload: {} });
      expect(stranger.json()).toMatchObject({ code: 'TOKEN_MISSING' });
      expect((await app.inject({ url: '/actuator/health', headers })).statusCode).toBe(200);
    });
  });
});
