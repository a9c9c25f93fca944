import { randomBytes, randomUUID } from 'node:crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { createEnvelopeAdapter } from '@sallyport/envelope-crypto/client/axios';
import { kernel } from '@sallyport/envelope-crypto/client/kernel';
import { createWechatClient, type WechatApi } from '@sallyport/envelope-crypto/client/wechat';
import axios from 'axios';
import type { Victim } from '../../../../packages/envelope-crypto/test/client/hostile/attacks.js';

/** What the client of an attack is made with. */
export interface VictimOptions {
  readonly origin: string;
  readonly token: string;
  readonly settings: object;
  readonly now: () => number;
  /** The `timeout` of a mini-program, which takes no signal and gives each bootstrap ten seconds. */
  readonly timeoutMillis: () => number;
}

/** The shipped clients, by what sends their requests. Each is as in a process that has just begun. */
export const victims: Readonly<Record<string, (options: VictimOptions) => Victim>> = {
  fetch(options) {
    const client = createEnvelopeClient(clientOptions(options));
    client.resetEncryption();
    const ask = async (path: string, init: RequestInit) => {
      const response = await client.fetch(path, { ...init, headers: headersOf(options, init.method === 'POST') });
      return response.ok ? response.json() : undefined;
    };
    return {
      post: (path, body, signal) => ask(path, { method: 'POST', body: JSON.stringify(body), signal: signal ?? null }),
      get: (path, signal) => ask(path, { method: 'GET', signal: signal ?? null }),
    };
  },

  axios(options) {
    const { adapter, resetEncryption } = createEnvelopeAdapter(clientOptions(options));
    resetEncryption();
    const instance = axios.create({ baseURL: options.origin, adapter, validateStatus: null });
    const ask = async (url: string, data?: object, signal?: AbortSignal) => {
      const method = data === undefined ? 'get' : 'post';
      const headers = headersOf(options, data !== undefined);
      const answer = await instance.request({ url, method, data, headers, ...(signal && { signal }) });
      return answer.status < 300 ? answer.data : undefined;
    };
    return { post: ask, get: (path, signal) => ask(path, undefined, signal) };
  },

  wechat(options) {
    const client = createWechatClient({ ...clientOptions(options), wx: createMiniProgram(options) });
    client.resetEncryption();
    const ask = async (url: string, data: object | undefined, signal?: AbortSignal) => {
      const method = data === undefined ? 'GET' : 'POST';
      const header = headersOf(options, data !== undefined);
      const answer = await client.request({
        url,
        method,
        header,
        ...(data && { data }),
        ...(signal && { timeout: options.timeoutMillis() }),
      });
      return answer.statusCode < 300 ? answer.data : undefined;
    };
    return { post: ask, get: (path, signal) => ask(path, undefined, signal) };
  },
};

/** One kernel for all: its tables take longer than a request. */
const proven = kernel();

function clientOptions({ origin, settings, now }: VictimOptions) {
  return { baseUrl: origin, now, kernel: () => proven, whenIdle: () => {}, ...settings };
}

function headersOf({ token }: VictimOptions, isWrite: boolean): Record<string, string> {
  const key = isWrite ? { 'idempotency-key': randomUUID(), 'content-type': 'application/json' } : {};
  return { authorization: `Bearer ${token}`, ...key };
}

/** `wx` as mini-programs have it, by the `fetch` of Node.js. */
const createMiniProgram = ({ timeoutMillis }: VictimOptions): WechatApi => ({
  request({ url, method = 'GET', data, header = {}, redirect, responseType, timeout, success, fail }) {
    const body = typeof data === 'string' ? data : JSON.stringify(data);
    const headers = { 'content-type': 'application/json', ...header };
    const signal = timeout === undefined ? null : AbortSignal.timeout(timeoutMillis());
    const init = { method, headers, signal, redirect: redirect === 'manual' ? 'manual' : 'follow' } as const;
    fetch(url, body === undefined ? init : { ...init, body })
      .then(async (response) => {
        const bytes = await response.arrayBuffer();
        const text = Buffer.from(bytes).toString();
        const content = responseType === 'arraybuffer' ? bytes : text;
        success({ data: content, statusCode: response.status, header: Object.fromEntries(response.headers) });
      })
      .catch((error: Error) => fail({ errMsg: error.message }));
  },
  getRandomValues({ length, success }) {
    success({ randomValues: new Uint8Array(randomBytes(length)).buffer });
  },
});
