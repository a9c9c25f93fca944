import type { AddressInfo } from 'node:net';
import axios, { getAdapter } from 'axios';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEnvelopeAdapter } from '../../src/client/axios/index.js';
import { createEnvelopeClient } from '../../src/client/index.js';
import { createWechatClient } from '../../src/client/wechat/index.js';
import { createService, type Service } from '../service.js';
import { createWechatByFetch } from './wechat-by-fetch.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const BOOTSTRAP = 'GET /encryption/public-key';
const TIME = 'POST /encryption/time';

/** A request, and the stamp of its envelope where its URL carries one. */
interface Arrived {
  readonly line: string;
  readonly stamp: number | null;
}

let service: Service;
let baseUrl: string;
const arrived: Arrived[] = [];
/** What an attacker who ends TLS does: he moves the time of the bootstrap, and drops the question for the time. */
const attacker = { movesBy: 0, dropsTime: false };

beforeAll(async () => {
  service = await createService({
    crypto: { now: Date.now },
    before(app) {
      app.addHook('onRequest', async ({ method, originalUrl }) => {
        const [path, query] = originalUrl.split('?');
        const envelope = query?.startsWith('__enc=') ? Buffer.from(query.slice(6), 'base64url').toString() : null;
        arrived.push({ line: `${method} ${path}`, stamp: envelope === null ? null : JSON.parse(envelope).ts });
        if (attacker.dropsTime && `${method} ${path}` === TIME) throw new Error('dropped');
      });
      app.addHook('onSend', async ({ method, url }, _reply, payload) => {
        if (attacker.movesBy === 0 || `${method} ${url}` !== BOOTSTRAP) return payload;
        const { data } = JSON.parse(String(payload));
        return JSON.stringify({ data: { ...data, serverTime: data.serverTime + attacker.movesBy } });
      });
    },
    routes: (app) => app.all('/echo', async ({ method }) => ({ data: method })),
  });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
});
afterAll(() => service.app.close());
beforeEach(() => {
  arrived.length = 0;
  Object.assign(attacker, { movesBy: 0, dropsTime: false });
});

const lines = () => arrived.map(({ line }) => line);
const stamps = () => arrived.flatMap(({ stamp }) => (stamp === null ? [] : [stamp]));

/** Sends a request by a transport, from a device whose clock is ahead by so much. Resolves to the status. */
type Send = (method: 'GET' | 'POST') => Promise<number>;

function axiosBy(name: 'http' | 'fetch') {
  return (now: () => number): Send => {
    const trustedKeys = [service.app.envelopeCrypto.publicKey!];
    const { adapter } = createEnvelopeAdapter({ baseUrl, now, trustedKeys, adapter: getAdapter([name]) });
    const api = axios.create({ baseURL: baseUrl, adapter, validateStatus: null });
    return async (method) => (await api.request({ method, url: '/echo' })).status;
  };
}

const transports: Record<string, (now: () => number) => Send> = {
  fetch(now) {
    const client = createEnvelopeClient({ baseUrl, now, trustedKeys: [service.app.envelopeCrypto.publicKey!] });
    return async (method) => (await client.fetch('/echo', { method })).status;
  },
  'axios over http': axiosBy('http'),
  'axios over fetch': axiosBy('fetch'),
  'wx.request'(now) {
    const trustedKeys = [service.app.envelopeCrypto.publicKey!];
    const client = createWechatClient({ wx: createWechatByFetch(), baseUrl, now, trustedKeys });
    return async (method) => (await client.request({ url: '/echo', method })).statusCode;
  },
};

describe.each(Object.entries(transports))('ENV-16 a device whose clock is wrong, by %s', (_, connect) => {
  const meet = (ahead: number) => connect(() => Date.now() + ahead);

  it('ENV-16 gets through where it is hours behind, by one exchange more', async () => {
    const send = meet(-7 * HOUR);
    expect(await send('POST')).toBe(200);
    expect(lines()).toEqual([BOOTSTRAP, TIME, 'POST /echo']);
    expect(await send('GET')).toBe(200);
    expect(lines().slice(3)).toEqual(['GET /echo']);
  });

  it('ENV-16 gets through where it is hours ahead, and asks for nothing', async () => {
    const send = meet(7 * HOUR);
    expect(await send('POST')).toBe(200);
    expect(lines()).toEqual([BOOTSTRAP, 'POST /echo']);
  });

  it('ENV-16 is not moved by a forged bootstrap from 23 hours ahead, where the question for the time arrives', async () => {
    attacker.movesBy = 23 * HOUR;
    const send = meet(0);
    expect(await send('GET')).toBe(200);
    expect(await send('POST')).toBe(200);
    expect(lines()).toEqual([BOOTSTRAP, TIME, 'GET /echo', 'POST /echo']);
    for (const stamp of stamps()) expect(stamp).toBeLessThanOrEqual(Date.now());
  });

  it('ENV-16 is moved by ten minutes at most, where he drops the question', async () => {
    Object.assign(attacker, { movesBy: 23 * HOUR, dropsTime: true });
    const send = meet(0);
    // The first envelope is outside of the window, and what he may keep is never valid in 23 hours. The refusal of the
    // service puts the clock right.
    expect(await send('GET')).toBe(200);
    expect(lines()).toEqual([BOOTSTRAP, TIME, 'GET /echo', 'GET /echo']);
    for (const stamp of stamps()) expect(stamp).toBeLessThanOrEqual(Date.now() + 10 * MINUTE);
    expect(stamps().at(-1)).toBeLessThanOrEqual(Date.now() + MINUTE);
  });
});
