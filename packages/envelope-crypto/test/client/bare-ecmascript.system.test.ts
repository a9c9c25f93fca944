import { webcrypto } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import fc from 'fast-check';
import { getQuickJS, type QuickJSContext } from 'quickjs-emscripten';
import { beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import { ecmaScript } from '../../src/client/ecmascript/index.js';
import { createEnvelopeClient, EnvelopeClientSetupError } from '../../src/client/index.js';
import type { WireRequest } from './hostile/forgeries.js';
import { createSmallService } from './hostile/small-service.js';

/** The client and what replaces the globals, in a global variable, as an application's build makes it. */
async function bundleClient(): Promise<string> {
  const path = (name: string) => fileURLToPath(new URL(`../../src/client/${name}`, import.meta.url));
  const entry = `
    export { createEnvelopeClient } from ${JSON.stringify(path('index.ts'))};
    export { ecmaScript } from ${JSON.stringify(path('ecmascript/index.ts'))};`;
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'client', target: 'es2020', logLevel: 'error' },
    conditions: ['@sallyport/source'],
  });
  return outputFiles[0]!.text;
}

/**
 * A program for a place that has ECMAScript, and a host that takes a request as text and gives an answer and random
 * bytes as text. It resolves to what the application read.
 */
const programOf = (requests: number) => `
  const fetch = async (url, init = {}) => {
    const request = { url, method: init.method || 'GET', headers: init.headers || {}, body: init.body || '' };
    const { status, headers, body } = JSON.parse(askHost(JSON.stringify(request)));
    const bytes = client.ecmaScript.encodeText(body);
    const response = {
      status,
      headers: {
        get: (name) => (headers[name.toLowerCase()] === undefined ? null : headers[name.toLowerCase()]),
        forEach: (use) => Object.keys(headers).forEach((name) => use(headers[name], name)),
      },
      arrayBuffer: async () => bytes.slice().buffer,
      clone: () => response,
    };
    return response;
  };
  const random = async (length) => Uint8Array.from(JSON.parse(drawFromHost(length)));
  (async () => {
    const options = { baseUrl: 'https://service.test/', fetch, random, requireEncryption: true };
    const { fetch: send } = client.createEnvelopeClient({ ...options, ...client.ecmaScript });
    const headers = { authorization: 'Bearer abc.def', 'content-type': 'application/json' };
    const requests = [
      () => send('/echo', { method: 'POST', headers, body: JSON.stringify({ name: '张三 😀' }) }),
      () => send('/echo?search=%E5%BC%A0&page=2', { headers }),
    ];
    const answers = [];
    for (const request of requests.slice(0, ${requests})) answers.push(await request());
    const read = [];
    for (const answer of answers) read.push([answer.status, answer.headers.get('content-type'), await answer.json()]);
    return JSON.stringify(read);
  })()
`;

const readBy = (requests: number) =>
  JSON.stringify(Array.from({ length: requests }, () => [200, 'application/json', { data: { served: true } }]));

/** A service, and what it was asked. */
function createHost() {
  const service = createSmallService('k');
  const asked: WireRequest[] = [];
  return {
    asked,
    ask(text: string): string {
      const { url, ...request } = JSON.parse(text) as WireRequest & { url: string };
      const wire = { ...request, target: url.slice('https://service.test'.length) };
      asked.push(wire);
      return JSON.stringify(service.answer(wire));
    },
    draw: (length: number) => JSON.stringify([...webcrypto.getRandomValues(new Uint8Array(length))]),
  };
}

let bundle: string;
beforeAll(async () => {
  bundle = await bundleClient();
});

function expectSealed(asked: readonly WireRequest[], requests = 2): void {
  const all = ['GET /encryption/public-key', 'POST /echo', 'GET /echo'];
  const paths = asked.map(({ method, target }) => `${method} ${target.split('?')[0]}`);
  expect(paths).toEqual(all.slice(0, requests + 1));
  for (const { headers } of asked.slice(1)) expect(headers['api-encryption']).toBe('v1');
}

describe('ENV-11 the client in a place that has nothing but ECMAScript', () => {
  it('ENV-11 loads and serves in a context without any global of a platform', async () => {
    const host = createHost();
    const context = createContext({ askHost: host.ask, drawFromHost: host.draw });
    for (const name of ['WebAssembly', 'console', 'escape', 'unescape'])
      runInContext(`delete globalThis.${name}`, context);
    runInContext(bundle, context);
    expect(await runInContext(programOf(2), context)).toBe(readBy(2));
    expectSealed(host.asked);
  });

  it('ENV-11 reads no global of the platform where everything is given', async () => {
    const host = createHost();
    const read: string[] = [];
    const context = createContext({ askHost: host.ask, drawFromHost: host.draw });
    const globals = [
      'fetch',
      'crypto',
      'URL',
      'Headers',
      'Request',
      'Response',
      'TextEncoder',
      'TextDecoder',
      'setTimeout',
    ];
    for (const name of [
      ...globals,
      'requestIdleCallback',
      'scheduler',
      'process',
      'Buffer',
      'atob',
      'btoa',
      'window',
    ]) {
      const get = () => {
        read.push(name);
        return undefined;
      };
      Object.defineProperty(context, name, { get, configurable: true });
    }
    runInContext(bundle, context);
    expect(await runInContext(programOf(2), context)).toBe(readBy(2));
    expect(read).toEqual([]);
  });

  it('ENV-11 serves in QuickJS', async () => {
    const host = createHost();
    const quickjs = (await getQuickJS()).newContext();
    define(quickjs, 'askHost', (text) => host.ask(text));
    define(quickjs, 'drawFromHost', (length) => host.draw(Number(length)));
    quickjs.unwrapResult(quickjs.evalCode(bundle)).dispose();
    const promise = quickjs.unwrapResult(quickjs.evalCode(programOf(1)));
    const resolved = quickjs.resolvePromise(promise);
    // One request: SM2 takes seconds here, and the tables for a second one as long again.
    // QuickJS has no event loop: what waits goes on when its jobs are run.
    quickjs.runtime.executePendingJobs();
    const told = quickjs.unwrapResult(await resolved);
    expect(quickjs.getString(told)).toBe(readBy(1));
    for (const handle of [told, promise, quickjs]) handle.dispose();
    expectSealed(host.asked, 1);
  });
});

function define(quickjs: QuickJSContext, name: string, run: (argument: string) => string): void {
  const handle = quickjs.newFunction(name, (argument) => quickjs.newString(run(quickjs.getString(argument))));
  quickjs.setProp(quickjs.global, name, handle);
  handle.dispose();
}

describe('ENV-11 what replaces the globals', () => {
  it('ENV-11 codes text as TextEncoder and TextDecoder do, and refuses what is not UTF-8', () => {
    const encoder = new TextEncoder();
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const anyText = fc.string({ unit: 'binary', maxLength: 40 });
    const lone = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(fc.oneof(anyText, lone), (text) => {
        expect(ecmaScript.encodeText(text)).toEqual(encoder.encode(text));
      }),
      { numRuns: cases(100) },
    );
    const orNull = (decode: () => string) => {
      try {
        return decode();
      } catch {
        return null;
      }
    };
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 8 }),
          anyText.map((text) => encoder.encode(text)),
        ),
        (bytes) => {
          expect(orNull(() => ecmaScript.decodeText(bytes))).toBe(orNull(() => decoder.decode(bytes)));
        },
      ),
      { numRuns: cases(500) },
    );
    const long = '张'.repeat(30_000);
    expect(ecmaScript.decodeText(ecmaScript.encodeText(long))).toBe(long);
    expect(ecmaScript.decodeText(encoder.encode('\ufeff{}'))).toBe('\ufeff{}');
    for (const bytes of [[0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe5, 0xbc], [0xff]]) {
      expect(() => ecmaScript.decodeText(Uint8Array.from(bytes))).toThrow();
    }
  });

  it.each([
    'https://api.example.com',
    'https://api.example.com/',
    'http://127.0.0.1:8080/a/b?x=1&y=%20#z',
    'https://h.test:443/a',
    'http://h.test:80/a',
    'https://h.test/users/张三?search=李',
    "https://h.test/a-b_c.d~e!f$g&h'i(j)k*l+m,n;o=p:q@r",
    "https://h.test/a?name='O'&b",
    'https://h.test:65535/',
  ])('ENV-11 reads %s as URL does', (text) => {
    const { href, protocol, hostname, port, origin, pathname, search, hash } = new URL(text);
    const expected = { href, protocol, hostname, port, origin, pathname, search, hash };
    expect(ecmaScript.parseUrl(text)).toEqual(expected);
  });

  it.each([
    'https://H.test/a',
    'https://h.test/a/../b',
    'https://h.test/a/%2e%2E/b',
    'https://h.test/.',
    'https://h.test\\a',
    'https://h.test/a b',
    'https://h.test/"',
    'https://user:secret@h.test/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://127.0.0.01/',
    'https://h.test:0443/',
    'https://h.test:00/',
    'https://h.test:65536/',
    'https://h.test./',
    'ftp://h.test/',
    '//h.test/',
    'h.test',
    '',
  ])('ENV-11 refuses a URL that a transport could read in another way: %s', (text) => {
    expect(() => ecmaScript.parseUrl(text)).toThrow(TypeError);
  });

  it('ENV-11 a URL of the service that is not in normal form leaves nothing', async () => {
    const sent: string[] = [];
    const fetch = (async (url: string) => {
      sent.push(url);
      throw new TypeError('not reached');
    }) as unknown as typeof globalThis.fetch;
    const client = createEnvelopeClient({ baseUrl: 'https://h.test/api', fetch, ...ecmaScript });
    for (const path of ['/a/../../b', 'https://h.test/b', '/a\\..\\b', 'https://H.TEST/api/a', 'https://h.test./api']) {
      await expect(client.fetch(path)).rejects.toThrow();
    }
    expect(sent).toEqual([]);
  });

  it('ENV-11 says which options a place has to give', async () => {
    const context = createContext({});
    runInContext(bundle, context);
    const code = `try { client.createEnvelopeClient({ baseUrl: 'https://h.test' }) } catch (error) { error.faults.join() }`;
    const faults = runInContext(code, context) as string;
    for (const name of ['random', 'encodeText', 'decodeText', 'parseUrl', 'fetch', 'createResponse']) {
      expect(faults).toContain(`${name} is required: there is no global `);
    }
  });

  it('ENV-11 a broken random source seals nothing', async () => {
    const { publicKey, answer } = createSmallService('k');
    expect(publicKey).toMatch(/^04/);
    const sent: string[] = [];
    const fetch = (async (url: string) => {
      sent.push(url);
      const { status, headers, body } = answer({
        method: 'GET',
        target: '/encryption/public-key',
        headers: {},
        body: '',
      });
      return new Response(body, { status, headers });
    }) as typeof globalThis.fetch;
    for (const random of [() => new Uint8Array(0), () => new Uint8Array(200), () => new Uint8Array(200).fill(255)]) {
      const client = createEnvelopeClient({ baseUrl: 'https://h.test', fetch, random });
      await expect(client.fetch('/pay', { method: 'POST', body: '{}' })).rejects.toThrow(RangeError);
    }
    expect(new Set(sent)).toEqual(new Set(['https://h.test/encryption/public-key']));
    const give = { baseUrl: 'https://h.test', random: 'secret' } as never;
    expect(() => createEnvelopeClient(give)).toThrow(EnvelopeClientSetupError);
  });
});
