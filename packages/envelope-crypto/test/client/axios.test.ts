import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import axios, { type AxiosInstance, type AxiosResponse, getAdapter, type InternalAxiosRequestConfig } from 'axios';
import Fastify, { type FastifyServerOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createEnvelopeAdapter,
  type EnvelopeAdapterOptions,
  EnvelopeClientSetupError,
} from '../../src/client/axios/index.js';
import { createService, type Service } from '../service.js';

let service: Service;
let origin: string;
/** What arrived at the service: method, URL, and whether it was sealed. */
const arrived: string[] = [];

beforeAll(async () => {
  service = await createService({
    crypto: { now: Date.now },
    routes(app) {
      app.addHook('onRequest', async ({ method, raw, headers }) => {
        arrived.push(`${method} ${raw.url!.split('?')[0]} ${headers['api-encryption'] ?? 'clear'}`);
      });
      app.all('/echo', async ({ query, body, headers }) => ({
        data: { query, body, authorization: headers.authorization, key: headers['idempotency-key'] },
      }));
      app.get('/conflict', async () => {
        throw Object.assign(new Error('no'), { statusCode: 409, code: 'CONFLICT' });
      });
      app.get('/csv', async (_, reply) => reply.type('text/csv').send('a,b\n'));
      app.get('/forged', async (_, reply) => reply.type('text/plain').send('{"data":"forged"}'));
      app.post('/moved', async (_, reply) => reply.redirect('/echo', 307));
      app.get('/open', { config: { bypassEnvelope: true } }, async () => ({ data: 'open' }));
    },
  });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
});
afterAll(() => service.app.close());
beforeEach(() => {
  arrived.length = 0;
});

function connect(options: Partial<EnvelopeAdapterOptions> = {}): AxiosInstance {
  const { adapter } = createEnvelopeAdapter({ baseUrl: origin, bypass: ['/open GET'], ...options });
  return axios.create({ baseURL: origin, adapter });
}

const refused = (sending: Promise<AxiosResponse>) =>
  sending.then(
    () => null,
    (error: unknown) => error,
  );

describe.each(['http', 'fetch'] as const)('ENV-11 axios by its adapter %s', (name) => {
  const options = { adapter: getAdapter([name]) };

  it('ENV-11 seals method, query, body and headers, and gives the opened data', async () => {
    const api = connect(options);
    const headers = { authorization: 'Bearer abc.def', 'idempotency-key': 'k-1' };
    const answer = await api.post('/echo', { name: '张三' }, { params: { a: '1', b: ['x y', 'z'] }, headers });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      data: {
        query: { a: '1', 'b[]': ['x y', 'z'] },
        body: { name: '张三' },
        authorization: 'Bearer abc.def',
        key: 'k-1',
      },
    });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['api-encryption']).toBeUndefined();
    expect(answer.config).toMatchObject({ url: '/echo', baseURL: origin });
    expect((await api.get('/echo', { params: { q: 'Ü' } })).data).toEqual({ data: { query: { q: 'Ü' } } });
    expect((await api.delete('/echo')).status).toBe(200);
    expect((await api.head('/echo')).status).toBe(200);
    expect(arrived).toEqual([
      'GET /encryption/public-key clear',
      'POST /echo v1',
      'GET /echo v1',
      'DELETE /echo v1',
      'HEAD /echo v1',
    ]);
  });

  it('ENV-11 rejects by validateStatus, with the opened problem and the plaintext configuration', async () => {
    const api = connect(options);
    const error = await refused(api.get('/conflict', { params: { a: 1 } }));
    if (!axios.isAxiosError(error)) throw error;
    expect(error.response).toMatchObject({ status: 409, data: { code: 'CONFLICT' } });
    expect(error.config).toMatchObject({ url: '/conflict', params: { a: 1 } });
    expect(error.code).toBe('ERR_BAD_REQUEST');
    expect((await api.get('/conflict', { validateStatus: null })).data).toMatchObject({ code: 'CONFLICT' });
    const again = await refused(api.request(error.config!));
    expect(axios.isAxiosError(again) && again.response?.status).toBe(409);
  });

  it('ENV-11 follows no redirect with an envelope', async () => {
    const error = await refused(connect(options).post('/moved', { a: 1 }));
    expect(axios.isAxiosError(error) && error.response?.status).toBe(307);
    expect(arrived).toEqual(['GET /encryption/public-key clear', 'POST /moved v1']);
  });

  it('ENV-11 an answer in the clear is no data, and a download stays one', async () => {
    const api = connect(options);
    await expect(api.get('/forged')).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
    await expect(api.get('/csv', { responseType: 'json' })).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
    expect((await api.get('/csv')).data).toBe('a,b\n');
    await expect(api.get('/forged', { responseType: 'text' })).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
    expect(((await api.get('/forged', { responseType: 'blob' })).data as Blob).size).toBe(17);
    const bytes = (await api.get('/csv', { responseType: 'arraybuffer' })).data as ArrayBuffer;
    expect(Buffer.from(bytes).toString()).toBe('a,b\n');
    const blob = (await api.get('/csv', { responseType: 'blob' })).data as Blob;
    expect([blob.size, blob.type]).toEqual([4, 'text/csv']);
  });

  it('ENV-11 gives bytes in the class in which axios gives them here', async () => {
    const api = connect(options);
    const asBytes = { responseType: 'arraybuffer' } as const;
    const { data: plain } = await axios.get(`${origin}/open`, { ...options, ...asBytes });
    const { data: download } = await api.get('/csv', asBytes);
    const { data: opened } = await api.get('/echo', asBytes);
    expect([download.constructor, opened.constructor]).toEqual([plain.constructor, plain.constructor]);
    expect(Buffer.from(opened).toString()).toBe('{"data":{"query":{}}}');
  });

  it('ENV-11 sends no id that begins with a slash to another host, in the clear', async () => {
    const api = connect(options);
    const other = '/evil.test/x';
    const error = await refused(api.post(`/${other}`, { secret: 1 }));
    expect(error).toMatchObject({ code: 'REQUEST_UNSUPPORTED' });
    expect(arrived).toEqual([]);
  });

  it('ENV-11 sends exempt paths and other hosts unchanged', async () => {
    const api = connect(options);
    expect((await api.get('/open')).data).toEqual({ data: 'open' });
    const other = createEnvelopeAdapter({ baseUrl: 'https://service.test', ...options });
    const elsewhere = axios.create({ adapter: other.adapter, validateStatus: null });
    expect((await elsewhere.get(`${origin}/echo`)).data).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    expect(arrived).toEqual(['GET /open clear', 'GET /echo clear']);
  });
});

describe('ENV-11 what the adapter of axios takes from the configuration', () => {
  it('ENV-11 takes no default of the global axios, which could lead a request to another host, in the clear', async () => {
    const before = { ...axios.defaults };
    try {
      // The instance was made earlier, or has no baseURL of its own.
      const api = connect();
      const bare = axios.create({ adapter: createEnvelopeAdapter({ baseUrl: origin }).adapter });
      Object.assign(axios.defaults, { baseURL: 'http://127.0.0.1:1/', params: { global: 'yes' } });
      expect((await api.get('/echo', { params: { a: 1 } })).data).toEqual({ data: { query: { a: '1' } } });
      expect((await bare.get('/echo')).data).toEqual({ data: { query: {} } });
      expect(arrived).toEqual(Array(2).fill(['GET /encryption/public-key clear', 'GET /echo v1']).flat());
    } finally {
      Object.assign(axios.defaults, { baseURL: before.baseURL, params: before.params });
    }
  });

  it('ENV-11 reads the bootstrap by the agent of the instance, and never with what belongs to a request', async () => {
    const made: string[] = [];
    class CountingAgent extends Agent {
      override createConnection(...given: Parameters<Agent['createConnection']>) {
        made.push('connection');
        return super.createConnection(...given);
      }
    }
    const configs: InternalAxiosRequestConfig[] = [];
    const http = getAdapter(['http']);
    const adapter: typeof http = (config) => {
      configs.push(config);
      return http(config);
    };
    const httpAgent = new CountingAgent({ keepAlive: false });
    const more = { params: { a: 1 }, headers: { 'x-secret': 's' }, auth: { username: 'u', password: 'p' }, data: '{}' };
    const api = axios.create({ baseURL: origin, adapter: createEnvelopeAdapter({ baseUrl: origin, adapter }).adapter });
    await api.delete('/echo', { httpAgent, ...more, headers: { 'content-type': 'application/json', 'x-secret': 's' } });
    expect(made).toHaveLength(2);
    const [bootstrap] = configs;
    expect(bootstrap).toMatchObject({ url: `${origin}/encryption/public-key`, httpAgent, timeout: 10_000 });
    for (const name of ['params', 'auth', 'data']) expect(bootstrap).not.toHaveProperty(name);
    expect(Object.keys(bootstrap!.headers.toJSON())).not.toContain('x-secret');
    expect(bootstrap!.headers.has('authorization')).toBe(false);
  });

  it('ENV-11 reads the bootstrap by HTTP/2 where the requests go by it', async () => {
    const { app } = await createService({
      crypto: { now: Date.now },
      server: { http2: true, forceCloseConnections: true } as FastifyServerOptions,
      routes: (app) => app.get('/version', async ({ raw }) => ({ data: raw.httpVersion })),
    });
    const baseURL = await app.listen({ host: '127.0.0.1', port: 0 });
    const api = axios.create({ baseURL, httpVersion: 2, adapter: createEnvelopeAdapter({ baseUrl: baseURL }).adapter });
    expect((await api.get('/version')).data).toEqual({ data: '2.0' });
    await app.close();
  });

  it('ENV-11 keeps fetchOptions, such as a dispatcher, and follows no redirect all the same', async () => {
    const seen: unknown[] = [];
    const fetch = getAdapter(['fetch']);
    const adapter: typeof fetch = (config) => {
      seen.push(config.fetchOptions);
      return fetch(config);
    };
    const fetchOptions = { priority: 'high', redirect: 'follow' };
    await connect({ adapter }).get('/echo', { fetchOptions });
    expect(seen).toEqual(Array(2).fill({ priority: 'high', redirect: 'manual' }));
  });
});

describe('ENV-11 the adapter of axios', () => {
  it('ENV-11 interceptors and transformations see plaintext', async () => {
    const api = connect();
    const seen: unknown[] = [];
    api.interceptors.request.use((config) => {
      seen.push(config.data);
      return config;
    });
    api.interceptors.response.use((response) => {
      seen.push(response.data);
      return response;
    });
    await api.post('/echo', { a: 1 });
    expect(seen).toEqual([{ a: 1 }, { data: { query: {}, body: { a: 1 } } }]);
  });

  it.each<[string, (api: AxiosInstance) => Promise<AxiosResponse>]>([
    ['a form', (api) => api.post('/echo', new URLSearchParams('a=1'))],
    ['a multipart form', (api) => api.postForm('/echo', { a: 1 })],
    ['a stream', (api) => api.get('/echo', { responseType: 'stream' })],
    ['a GET with a body', (api) => api.get('/echo', { data: { a: 1 } })],
    ['a path that leaves the service', (api) => api.get('/a/../../b', { baseURL: `${origin}/x` })],
  ])('ENV-11 sends nothing for what no envelope can carry: %s', async (_, ask) => {
    const api = connect({ baseUrl: `${origin}/` });
    await api.get('/echo');
    arrived.length = 0;
    const error = (await refused(ask(api))) as { code?: string; response?: AxiosResponse };
    if (error.response === undefined) expect(error.code).toBe('REQUEST_UNSUPPORTED');
    expect(arrived.filter((line) => line.endsWith('clear'))).toEqual([]);
  });

  it('ENV-9 refuses a path of an instance whose baseURL is at another host, and sends a whole URL there', async () => {
    let asked = 0;
    const other = Fastify();
    other.all('/*', async () => ({ asked: ++asked }));
    const baseURL = await other.listen({ host: '127.0.0.1', port: 0 });
    const api = axios.create({ baseURL, adapter: createEnvelopeAdapter({ baseUrl: origin }).adapter });
    for (const path of ['/echo', 'echo', '']) {
      await expect(api.post(path, { secret: 1 })).rejects.toMatchObject({ code: 'REQUEST_UNSUPPORTED' });
    }
    expect(asked).toBe(0);
    expect((await api.get(`${baseURL}/picture`)).data).toEqual({ asked: 1 });
    expect((await api.get(`${origin}/echo`)).status).toBe(200);
    await other.close();
  });

  it('ENV-9 refuses a bootstrap that says OFF, and an unknown key, before anything leaves', async () => {
    const off: Service['app'] = (await createService({ crypto: { mode: 'OFF', privateKey: undefined as never } })).app;
    const offOrigin = await off.listen({ host: '127.0.0.1', port: 0 });
    const strict = createEnvelopeAdapter({ baseUrl: offOrigin, requireEncryption: true });
    const api = axios.create({ baseURL: offOrigin, adapter: strict.adapter });
    await expect(api.post('/echo', { a: 1 })).rejects.toMatchObject({ code: 'ENCRYPTION_DOWNGRADE' });
    await off.close();
    const { publicKey } = await createEnvelopeAdapter({ baseUrl: origin }).bootstrap();
    const other = (await import('@sallyport/envelope-crypto/gm')).sm2PublicKey(new Uint8Array(32).fill(7));
    const pinned = connect({ trustedKeys: [Buffer.from(other).toString('hex')] });
    await expect(pinned.post('/echo', { a: 1 })).rejects.toMatchObject({ code: 'SERVER_KEY_UNTRUSTED' });
    expect((await connect({ trustedKeys: [publicKey!] }).post('/echo', { a: 1 })).status).toBe(200);
  });

  it('ENV-11 reports every fault of its options', () => {
    const create = () => createEnvelopeAdapter({ adapter: 'xhr', colour: 1 } as never);
    expect(create).toThrow(EnvelopeClientSetupError);
    expect(create).toThrow(/colour is not an option[\s\S]*baseUrl is required[\s\S]*adapter must be a function/);
  });

  it('ENV-11 refuses an answer for which a redirect was followed', async () => {
    const plain = getAdapter(['http']);
    const adapter: typeof plain = async (config) => {
      const answer = await plain(config);
      return config.url!.includes('/echo') ? { ...answer, request: { responseURL: `${origin}/other` } } : answer;
    };
    await expect(connect({ adapter }).get('/echo')).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
  });
});
