import { randomBytes } from 'node:crypto';
import { symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { developmentBanner } from '../../../src/commands/start-banner.js';
import { requestLog } from '../../../src/http/logging.js';
import { isConsoleEnabled } from '../../../src/modules/console/index.js';
import { consoleRoutes } from '../../../src/modules/console/routes.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';
import { type ConsoleFolder, createConsoleFolder, SECRET, scriptOf } from './console-folder.js';

type Environment = Readonly<Record<string, string>>;

describe('the console', () => {
  let bench: TestBench;
  let folder: ConsoleFolder;
  let app: App;

  function serve(environment: Environment = {}, from: string = folder.folder): Promise<App> {
    const config = bench.config(environment);
    return bench.appOn(config, bench.resources(config), { consoleFolder: from });
  }

  beforeAll(async () => {
    bench = await openTestBench();
    folder = await createConsoleFolder();
    await folder.build('first');
    await symlink('../../package.json', join(folder.folder, 'assets/link.json'));
    app = await serve();
  });
  afterAll(async () => {
    await bench.close();
    await folder.remove();
  });

  const directivesOf = (policy: unknown) =>
    Object.fromEntries(
      String(policy)
        .split(/; ?/)
        .map((directive) => directive.split(/ (.*)/s)),
    ) as Record<string, string>;

  describe('its page', () => {
    it.each(['/console/', '/console/sessions', '/console/app/profile?tab=1', '/console/index.html'])(
      'CON-1 is the answer to %s, never stored, under a policy without unsafe sources',
      async (url) => {
        const response = await app.inject(url);
        expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
          200,
          'text/html; charset=utf-8',
          'no-store',
        ]);
        const [, nonce] = /nonce="([^"]+)"/.exec(response.body) ?? [];
        expect(directivesOf(response.headers['content-security-policy'])).toEqual({
          'default-src': "'none'",
          'script-src': "'self' 'wasm-unsafe-eval'",
          'style-src': `'self' 'nonce-${nonce}'`,
          'img-src': "'self' data: blob:",
          'font-src': "'self'",
          'connect-src': "'self'",
          'worker-src': "'self'",
          'manifest-src': "'self'",
          'require-trusted-types-for': "'script'",
          'trusted-types': 'default',
          'base-uri': "'none'",
          'form-action': "'none'",
          'frame-ancestors': "'none'",
        });
        expect(response.headers['content-security-policy']).not.toMatch(
          /unsafe-(?:inline|hashes)|(?<!wasm-)unsafe-eval/,
        );
      },
    );

    it('CON-9 says where a sign-in counts: by default in its tab', async () => {
      const shared = await serve({ SERVICE_CONSOLE_SESSION: 'browser' });
      const choices = [app, shared].map(async (each) => {
        const { body } = await each.inject('/console/sessions');
        return /<meta name="console-session" content="([^"]*)">/.exec(body)?.[1];
      });
      expect(await Promise.all(choices)).toEqual(['tab', 'browser']);
      expect(() => bench.config({ SERVICE_CONSOLE_SESSION: 'cookie' })).toThrow(
        /SERVICE_CONSOLE_SESSION.*(?:tab|browser)/s,
      );
    });

    it('CON-1 has a fresh nonce of 16 random bytes in each answer, in every place', async () => {
      const bodies = await Promise.all(Array.from({ length: 20 }, async () => (await app.inject('/console/')).body));
      const nonces = bodies.map((body) => {
        expect(body).not.toContain('__CSP_NONCE__');
        const found = [...body.matchAll(/nonce="([^"]+)"/g)].map(([, nonce]) => nonce!);
        expect(found).toHaveLength(2);
        expect(new Set(found).size).toBe(1);
        return found[0]!;
      });
      expect(new Set(nonces).size).toBe(20);
      for (const nonce of nonces) expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    });

    it('CON-1 has the headers of every answer of the server, and needs neither token nor envelope', async () => {
      const plain = await app.inject('/actuator/health/liveness');
      const sealing = await serve({
        SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
        SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      });
      for (const each of [app, sealing]) {
        const { statusCode, headers } = await each.inject('/console/');
        expect(statusCode).toBe(200);
        const names = Object.keys(plain.headers).filter((name) => /^(?:x|cross-origin|referrer|origin)-/.test(name));
        expect(names).toEqual(
          expect.arrayContaining(['x-content-type-options', 'cross-origin-opener-policy', 'x-request-id']),
        );
        for (const name of names.filter((name) => name !== 'x-request-id')) {
          expect(headers[name], name).toBe(plain.headers[name]);
        }
      }
      expect((await sealing.inject('/console/assets/first.js')).body).toBe(scriptOf('first'));
    });

    it.each(['/', '/console', '/?next=//example.com'])('CON-1 %s leads to it', async (url) => {
      for (const method of ['GET', 'HEAD'] as const) {
        const { statusCode, headers } = await app.inject({ method, url });
        expect([statusCode, headers.location]).toEqual([302, '/console/']);
      }
    });

    it('CON-1 is no route for other methods', async () => {
      const refused = await app.inject({ method: 'POST', url: '/console/', payload: {} });
      expect(refused.json()).toMatchObject({ code: 'TOKEN_MISSING' });
    });
  });

  describe('its files', () => {
    const get = (url: string, headers: InjectOptions['headers'] = {}) => app.inject({ url, headers });

    it.each([
      ['first.js', 'text/javascript; charset=utf-8'],
      ['style.css', 'text/css; charset=utf-8'],
      ['kernel.wasm', 'application/wasm'],
    ])('CON-1 assets/%s has its type, and is kept for ever', async (name, type) => {
      const { statusCode, headers } = await get(`/console/assets/${name}`);
      expect([
        statusCode,
        headers['content-type'],
        headers['cache-control'],
        headers['x-content-type-options'],
      ]).toEqual([200, type, 'public, max-age=31536000, immutable', 'nosniff']);
    });

    it('CON-1 the icon has no digest in its name, so that the browser asks again', async () => {
      const { headers } = await get('/console/icon.svg');
      expect([headers['content-type'], headers['cache-control']]).toEqual(['image/svg+xml', 'no-cache']);
      expect(directivesOf(headers['content-security-policy'])['default-src']).toBe("'none'");
    });

    it.each([
      ['br, gzip', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
      ['GZIP', 'gzip', gunzipSync],
      ['identity, br;q=0.0', undefined, (content: Buffer) => content],
      ['', undefined, (content: Buffer) => content],
    ])('CON-1 a client that accepts "%s" gets %s', async (accepted, encoding, decode) => {
      const { headers, rawPayload } = await get('/console/assets/first.js', { 'accept-encoding': accepted });
      expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'Accept-Encoding']);
      expect(decode(rawPayload).toString()).toBe(scriptOf('first'));
    });

    it('CON-1 a file that the client has is 304, for the same encoding only', async () => {
      const { headers } = await get('/console/assets/first.js', { 'accept-encoding': 'gzip' });
      const etag = String(headers.etag);
      const statusFor = async (ifNoneMatch: string, accepted = 'gzip') => {
        const answer = await get('/console/assets/first.js', {
          'accept-encoding': accepted,
          'if-none-match': ifNoneMatch,
        });
        if (answer.statusCode === 304) expect([answer.body, answer.headers.etag]).toEqual(['', etag]);
        return answer.statusCode;
      };
      expect(await statusFor(etag)).toBe(304);
      expect(await statusFor(`"other", W/${etag}`)).toBe(304);
      expect(await statusFor('*')).toBe(304);
      expect(await statusFor('"other"')).toBe(200);
      expect(await statusFor(etag, 'br')).toBe(200);
    });

    it('CON-1 HEAD has the headers of GET and no content', async () => {
      for (const url of ['/console/assets/first.js', '/console/icon.svg']) {
        const [head, whole] = await Promise.all([app.inject({ method: 'HEAD', url }), get(url)]);
        expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', whole.headers.etag]);
        expect(head.headers['content-length']).toBe(whole.headers['content-length']);
      }
      expect((await app.inject({ method: 'HEAD', url: '/console/' })).body).toBe('');
    });

    it('CON-1 a script may run as a worker with the kernel: its own policy is that of the worker', async () => {
      const { headers } = await get('/console/assets/first.js');
      expect(directivesOf(headers['content-security-policy'])).toMatchObject({
        'default-src': "'none'",
        'script-src': "'self' 'wasm-unsafe-eval'",
        'connect-src': "'self'",
      });
    });

    it('CON-1 the log has a line for the page, and none for its files', async () => {
      const lines: string[] = [];
      const log = new Writable({
        write(chunk, _encoding, done) {
          lines.push(JSON.parse(String(chunk)).path);
          done();
        },
      });
      const config = bench.config({ SERVICE_LOG_LEVEL: 'info' });
      const logging = createApp(config, log);
      await logging.register(requestLog);
      await logging.register(consoleRoutes, { config, consoleFolder: folder.folder });
      for (const path of ['assets/first.js', 'assets/none.js', '']) await logging.inject(`/console/${path}`);
      await logging.close();
      expect(lines).toEqual(['/console/']);
    });

    it.each(['none.js', '', 'first.js/', 'First.js', 'first.js.br', '.hidden', 'link.json'])(
      'CON-1 assets/%s is 404, never the page',
      async (name) => {
        const response = await get(`/console/assets/${name}`);
        expect(response.json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      },
    );
  });

  describe('what is not in the folder', () => {
    let port: number;
    beforeAll(async () => {
      port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
    });

    /** Sends the target as it is: clients would resolve its dots. */
    function ask(target: string): Promise<string> {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      return new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('error', reject);
        socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
      });
    }

    it.each([
      '../package.json',
      '..%2fpackage.json',
      '%2e%2e/package.json',
      '%2e%2e%2fpackage.json',
      '..%5cpackage.json',
      '..\\package.json',
      '....//package.json',
      'assets/../../package.json',
      'assets/..%2f..%2fpackage.json',
      'assets/%2e%2e/%2e%2e/package.json',
      'assets/..%252f..%252fpackage.json',
      'assets/first.js%00.json',
      'assets/link.json',
      '//etc/passwd',
      '/etc/passwd',
      '%2fetc%2fpasswd',
      '.vite/manifest.json',
      'assets/../.vite/manifest.json',
      '%2evite/manifest.json',
      '.inputs',
      'assets/.hidden',
      'assets/%2ehidden',
      '../.build/lock',
    ])('CON-1 /console/%s cannot be read', async (path) => {
      const answer = await ask(`/console/${path}`);
      expect(answer).not.toContain(SECRET);
      expect(answer).not.toContain('root:');
      expect(answer).toMatch(/^HTTP\/1\.1 (?:200|40[0-9]) /);
      if (answer.startsWith('HTTP/1.1 200')) expect(answer).toContain('<!doctype html>');
    });
  });

  describe('where it is served', () => {
    it('CON-1 not in production, unless it is switched on', async () => {
      const production = {
        SERVICE_PROFILE: 'production',
        SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
        SERVICE_AUTH_TOKEN_KEY: randomBytes(32).toString('hex'),
        SERVICE_AUTH_TOKEN_ALGORITHM: 'HS256',
        SERVICE_AUDIT_CHECKPOINT_FILE: join(bench.folder, 'checkpoints'),
      };
      expect(isConsoleEnabled(bench.config(production))).toBe(false);
      expect(isConsoleEnabled(bench.config({ ...production, SERVICE_CONSOLE_ENABLED: 'true' }))).toBe(true);
      expect(isConsoleEnabled(bench.config())).toBe(true);
    });

    it('CON-1 where it is off, its paths and / are unknown paths', async () => {
      const off = await serve({ SERVICE_CONSOLE_ENABLED: 'false' });
      async function answerTo(url: string, method: 'GET' | 'HEAD' | 'POST') {
        const { statusCode, headers, body } = await off.inject({ method, url });
        const { 'x-request-id': id, date: _, ...others } = headers;
        return { statusCode, headers: others, body: body.replaceAll(String(id), 'ID') };
      }
      const urls = ['/', '/console', '/console/', '/console/app', '/console/index.html', '/console/assets/first.js'];
      for (const method of ['GET', 'HEAD', 'POST'] as const) {
        const unknown = await answerTo('/nothing/here', method);
        expect(unknown.statusCode).toBe(401);
        for (const url of [...urls, '/console/icon.svg', '/console/.vite/manifest.json', '/%63onsole/', '//console/']) {
          expect(await answerTo(url, method), url).toEqual(unknown);
        }
      }
    });

    it('CON-1 the banner names it first, where it is on', () => {
      const banner = (environment: Environment) => developmentBanner(bench.config(environment), null, 'http://a');
      expect(banner({}).split('\n')[2]).toMatch(/^ +console +http:\/\/a\/console\/$/);
      expect(banner({ SERVICE_CONSOLE_ENABLED: 'false' })).not.toContain('/console/');
    });
  });

  describe('its limits', () => {
    it('CON-1 ORD-3 a page of 40 files, loaded 20 times within one window, is not refused, in safe mode neither', async () => {
      const busy = await serve({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '30', SERVICE_SAFE_MODE: 'true' });
      const statuses = new Set<number>();
      for (let load = 0; load < 20; load += 1) {
        const urls = ['/console/', ...Array<string>(40).fill('/console/assets/first.js')];
        for (const { statusCode } of await Promise.all(urls.map((url) => busy.inject(url)))) statuses.add(statusCode);
        // What the page asks of the service.
        statuses.add((await busy.inject('/encryption/public-key')).statusCode);
      }
      expect([...statuses]).toEqual([200]);
      expect((await signIn(busy)).statusCode).toBe(200);
    });

    it('CON-1 ORD-3 a file that is not there counts as every other request', async () => {
      const busy = await serve({ SERVICE_FLOOD_GATE_MAX_REQUESTS: '50' });
      const names = Array.from({ length: 60 }, (_, at) => `/console/assets/no-${at}.js`);
      const answers = await Promise.all(names.map((url) => busy.inject(url)));
      const refused = answers.filter(({ statusCode }) => statusCode === 429).length;
      expect(answers.filter(({ statusCode }) => statusCode === 404)).toHaveLength(60 - refused);
      expect((await busy.inject('/console/')).statusCode).toBe(429);
    });
  });
});
