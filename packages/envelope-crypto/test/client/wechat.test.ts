import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWechatClient,
  EnvelopeClientSetupError,
  type WechatApi,
  type WechatClientOptions,
} from '../../src/client/wechat/index.js';
import { createService, type Service } from '../service.js';
import { createWechatByFetch } from './wechat-by-fetch.js';

let service: Service;
let baseUrl: string;
const sent: string[] = [];

beforeAll(async () => {
  service = await createService({
    crypto: { now: Date.now },
    routes(app) {
      app.all('/echo', async ({ query, body, headers }) => ({ data: { query, body, token: headers.authorization } }));
      app.get('/csv', async (_, reply) => reply.type('text/csv').send('a,b\n'));
      app.get('/forged', async (_, reply) => reply.type('text/plain').send('{"data":"forged"}'));
      app.get('/conflict', async () => {
        throw Object.assign(new Error('no'), { statusCode: 409, code: 'CONFLICT' });
      });
      app.get('/open', { config: { bypassEnvelope: true } }, async ({ query }) => ({ data: query }));
    },
  });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
});
afterAll(() => service.app.close());

const wx = createWechatByFetch((method, url, headers) => {
  sent.push(`${method} ${url.slice(baseUrl.length).split('?')[0]} ${headers.get('api-encryption')}`);
});

function connect(options: Partial<WechatClientOptions> = {}) {
  sent.length = 0;
  return createWechatClient({ wx, baseUrl, bypass: ['/open GET'], ...options });
}

describe('ENV-11 the client of a mini-program', () => {
  it('ENV-11 seals what wx.request takes, and gives what it answers', async () => {
    const client = connect();
    const header = { Authorization: 'Bearer abc.def' };
    const answer = await client.request({ url: '/echo', method: 'POST', data: { name: '张三' }, header });
    expect(answer).toMatchObject({
      statusCode: 200,
      data: { data: { query: {}, body: { name: '张三' }, token: 'Bearer abc.def' } },
      header: { 'content-type': 'application/json' },
      errMsg: 'ok',
    });
    expect(answer.header).not.toHaveProperty('api-encryption');
    const query = await client.request({ url: `${baseUrl}/echo?a=1`, data: { search: '李 四', page: 2 } });
    expect(query.data).toEqual({ data: { query: { a: '1', search: '李 四', page: '2' } } });
    expect((await client.request({ url: '/echo', method: 'PUT', data: '{"a":1}' })).data).toMatchObject({
      data: { body: { a: 1 } },
    });
    expect(sent).toEqual(['GET /encryption/public-key null', 'POST /echo v1', 'GET /echo v1', 'PUT /echo v1']);
    expect(client.backend()).toMatchObject({ name: 'portable' });
  });

  it.each([
    ['quotes', { url: '/echo', data: { name: "O'Brien" } }, { name: "O'Brien" }],
    ['quotes in the URL', { url: "/echo?name='x'" }, { name: "'x'" }],
    ['a fragment', { url: '/echo#part', data: { a: 1 } }, { a: '1' }],
    ['a query and a fragment', { url: '/echo?b=2#part', data: { a: 1 } }, { a: '1', b: '2' }],
    ['a text', { url: '/echo', data: 'a=1&b=%20' }, { a: '1', b: ' ' }],
    ['a text with a number sign', { url: '/echo', data: 'a=1#b=2' }, { a: '1#b=2' }],
    ['an empty text', { url: '/echo', data: '' }, {}],
    ['nothing in an object', { url: '/echo', data: {} }, {}],
  ])('ENV-11 the query of a GET has %s', async (_, request, query) => {
    expect((await connect().request(request)).data).toEqual({ data: { query } });
  });

  it('ENV-11 refuses what would be lost: bytes in a query, and callbacks', async () => {
    const client = connect();
    const unsupported = { code: 'REQUEST_UNSUPPORTED' };
    await expect(client.request({ url: '/echo', data: new ArrayBuffer(1) })).rejects.toMatchObject(unsupported);
    for (const name of ['success', 'fail', 'complete']) {
      await expect(client.request({ url: '/echo', [name]: () => {} })).rejects.toMatchObject(unsupported);
    }
    await expect(client.request({} as never)).rejects.toMatchObject(unsupported);
    await expect(client.request({ url: '//evil.test/x', method: 'POST' })).rejects.toMatchObject(unsupported);
    expect(sent).toEqual([]);
  });

  it.each([
    ['3.2.1', true],
    ['2.33.9', true],
    ['3.2.2', false],
    ['3.10', false],
    ['4.0.0', false],
  ])('ENV-11 is refused with a base library that follows redirects: %s, %s', (SDKVersion, isRefused) => {
    for (const name of ['getAppBaseInfo', 'getSystemInfoSync']) {
      const create = () => connect({ wx: { ...wx, [name]: () => ({ SDKVersion }) } });
      if (isRefused) expect(create).toThrow(/wx must be of base library 3\.2\.2 or later/);
      else expect(create).not.toThrow();
    }
  });

  it('ENV-9 gives a bootstrap that does not come up after ten seconds', async () => {
    const asked: unknown[] = [];
    const request: WechatApi['request'] = (options) => {
      asked.push(options.timeout);
      return wx.request(options);
    };
    await connect({ wx: { ...wx, request } }).request({ url: '/echo', timeout: 5 });
    expect(asked).toEqual([10_000, 5]);
  });

  it('ENV-11 a DELETE without data is carried by a body, since wx.request calls it JSON', async () => {
    const client = connect();
    expect((await client.request({ url: '/echo', method: 'DELETE' })).statusCode).toBe(200);
    expect(sent.at(-1)).toBe('DELETE /echo v1');
  });

  it('ENV-11 opens problems, keeps downloads, and takes nothing in the clear for data', async () => {
    const client = connect();
    expect(await client.request({ url: '/conflict' })).toMatchObject({ statusCode: 409, data: { code: 'CONFLICT' } });
    expect((await client.request({ url: '/csv' })).data).toBe('a,b\n');
    await expect(client.request({ url: '/forged' })).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
    const asText = client.request({ url: '/forged', dataType: 'text' });
    await expect(asText).rejects.toMatchObject({ code: 'RESPONSE_REFUSED' });
    const forged = (await client.request({ url: '/forged', responseType: 'arraybuffer' })).data as ArrayBuffer;
    expect(forged.byteLength).toBe(17);
    const bytes = (await client.request({ url: '/echo', responseType: 'arraybuffer' })).data as ArrayBuffer;
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ data: { query: {} } });
    expect((await client.request({ url: '/echo', dataType: 'text' })).data).toBe('{"data":{"query":{}}}');
  });

  it('ENV-11 passes exempt paths on, and refuses forms', async () => {
    const client = connect();
    expect((await client.request({ url: '/open', data: { a: 1 } })).data).toEqual({ data: { a: '1' } });
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const sending = client.request({ url: '/echo', method: 'POST', data: 'a=1', header: form });
    await expect(sending).rejects.toMatchObject({ code: 'REQUEST_UNSUPPORTED' });
    expect(sent).toEqual(['GET /open null', 'GET /encryption/public-key null']);
  });

  it('ENV-11 rejects with what fail is told, and where there are no random bytes', async () => {
    const { request } = wx;
    await expect(connect({ baseUrl: 'http://127.0.0.1:1' }).bootstrap()).rejects.toThrow(/^request:fail/);
    await expect(connect({ wx: { request } }).request({ url: '/echo' })).rejects.toThrow(/give the option random/);
    const given = connect({ wx: { request }, random: (length) => randomBytes(length) });
    expect((await given.request({ url: '/echo' })).statusCode).toBe(200);
    const failing: WechatApi = { request, getRandomValues: ({ fail }) => fail({ errMsg: 'getRandomValues:fail' }) };
    await expect(connect({ wx: failing }).request({ url: '/echo' })).rejects.toThrow('getRandomValues:fail');
  });

  it('ENV-11 reports every fault of its options', () => {
    const create = () => createWechatClient({ baseUrl: 'x', colour: 1 } as never);
    expect(create).toThrow(EnvelopeClientSetupError);
    expect(create).toThrow(/colour is not an option[\s\S]*baseUrl must be[\s\S]*wx is required/);
    expect(() => createWechatClient(undefined as never)).toThrow(EnvelopeClientSetupError);
  });
});
