import axios, { type AxiosAdapter } from 'axios';
import { describe, expect, it } from 'vitest';
import { createEnvelopeAdapter } from '../../src/client/axios/index.js';
import { createEnvelopeClient, type EnvelopeClient } from '../../src/client/index.js';
import { createSmallService } from './hostile/small-service.js';

const BOOTSTRAP_PATH = '/encryption/public-key';
let origins = 0;

/** A service whose bootstrap does not come for as long as a test says so. */
function createStage() {
  const baseUrl = `https://wait-${++origins}.test`;
  const service = createSmallService('k');
  let isSilent = true;
  let now = Date.now();
  const reads: number[] = [];
  const sent: string[] = [];
  const fetch = (async (url: string, init: RequestInit = {}) => {
    const target = url.slice(baseUrl.length);
    if (target === BOOTSTRAP_PATH) {
      reads.push(now);
      if (isSilent) await new Promise(() => {});
    } else sent.push(target);
    const headers = Object.fromEntries(new Headers(init.headers));
    const answer = service.answer({ method: init.method ?? 'GET', target, headers, body: String(init.body ?? '') });
    return new Response(answer.body, answer);
  }) as typeof globalThis.fetch;
  return {
    ...{ baseUrl, fetch, reads, sent },
    client: (): EnvelopeClient => createEnvelopeClient({ baseUrl, fetch, now: () => now }),
    speak() {
      isSilent = false;
    },
    pass(millis: number) {
      now += millis;
    },
  };
}

const reasonOf = (sending: Promise<unknown>) => sending.then(String, (error: Error) => error.message);

describe('ENV-9 a bootstrap that does not come', () => {
  it('ENV-9 ends the wait of a caller whose signal aborts, and of no other', async () => {
    const stage = createStage();
    const client = stage.client();
    const patience = new AbortController();
    const first = client.fetch('/pay', { signal: patience.signal });
    const second = client.fetch(new Request(`${stage.baseUrl}/pay`, { signal: patience.signal }));
    const third = client.fetch('/pay');
    const outcomes = Promise.all([first, second].map(reasonOf));
    patience.abort(new Error('enough'));
    expect(await outcomes).toEqual(['enough', 'enough']);
    await expect(client.fetch('/pay', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    expect(stage.reads).toHaveLength(1);
    expect(stage.sent).toEqual([]);
    expect(await Promise.race([third.then(() => 'ended'), new Promise((go) => setImmediate(go, 'waits'))])).toBe(
      'waits',
    );
  });

  it('ENV-9 is asked for again by the first caller after ten seconds', async () => {
    const stage = createStage();
    const client = stage.client();
    void client.fetch('/pay');
    stage.speak();
    stage.pass(10_000);
    void client.fetch('/pay');
    expect(stage.reads).toHaveLength(1);
    stage.pass(1);
    expect((await client.fetch('/pay')).status).toBe(200);
    expect(stage.reads).toHaveLength(2);
    stage.pass(600_000);
    await client.fetch('/pay').catch(() => {});
    expect(stage.reads).toHaveLength(2);
  });

  it('ENV-9 ends the wait of a retry too', async () => {
    const stage = createStage();
    const patience = new AbortController();
    let isSilent = false;
    const fetch = (async (url: string, init: RequestInit = {}) => {
      if (!url.endsWith(BOOTSTRAP_PATH)) {
        isSilent = true;
        return new Response('{"code":"ENVELOPE_KEY_UNKNOWN"}', {
          status: 400,
          headers: { 'content-type': 'application/json' },
        });
      }
      if (!isSilent) return stage.fetch(url, init);
      setImmediate(() => patience.abort(new Error('enough')));
      return new Promise(() => {});
    }) as typeof globalThis.fetch;
    stage.speak();
    const client = createEnvelopeClient({ baseUrl: stage.baseUrl, fetch });
    await expect(client.fetch('/pay', { signal: patience.signal })).rejects.toThrow('enough');
  });
});

describe('ENV-9 a bootstrap that does not come, by axios', () => {
  const silent: AxiosAdapter = () => new Promise(() => {});
  const connect = () => {
    const baseURL = `https://wait-${++origins}.test`;
    const { adapter } = createEnvelopeAdapter({ baseUrl: baseURL, adapter: silent });
    return axios.create({ baseURL, adapter });
  };

  it('ENV-9 ends the wait by timeout, as axios words it', async () => {
    const api = connect();
    const error = await api.get('/pay', { timeout: 5 }).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'ECONNABORTED', message: 'timeout of 5ms exceeded', config: { url: '/pay' } });
    const clear = { timeout: 5, timeoutErrorMessage: 'slow', transitional: { clarifyTimeoutError: true } };
    await expect(api.get('/pay', clear)).rejects.toMatchObject({ code: 'ETIMEDOUT', message: 'slow' });
  });

  it('ENV-9 ends the wait by signal and by cancelToken', async () => {
    const api = connect();
    const patience = new AbortController();
    const { token, cancel } = axios.CancelToken.source();
    const errors = Promise.all(
      [api.get('/pay', { signal: patience.signal }), api.get('/pay', { cancelToken: token })].map((sending) =>
        sending.catch((error: unknown) => error),
      ),
    );
    // The interceptors of axios run first.
    await new Promise(setImmediate);
    patience.abort();
    cancel('enough');
    expect((await errors).map(axios.isCancel)).toEqual([true, true]);
    const late = api.get('/pay', { signal: patience.signal });
    await expect(late).rejects.toMatchObject({ code: 'ERR_CANCELED' });
  });
});

describe('ENV-9 a bootstrap that says OFF', () => {
  it('ENV-9 is read again after a minute, so that a forged first one does not outlive the attack', async () => {
    const stage = createStage();
    stage.speak();
    let isOff = true;
    const seals: boolean[] = [];
    const fetch = (async (url: string, init: RequestInit = {}) => {
      if (url.endsWith(BOOTSTRAP_PATH) && isOff)
        return Response.json({ data: { mode: 'OFF', serverTime: Date.now() } });
      if (!url.endsWith(BOOTSTRAP_PATH)) seals.push(new Headers(init.headers).has('api-encryption'));
      return stage.fetch(url, init);
    }) as typeof globalThis.fetch;
    let now = Date.now();
    const client = createEnvelopeClient({ baseUrl: stage.baseUrl, fetch, now: () => now });
    await client.fetch('/pay');
    isOff = false;
    now += 60_000;
    await client.fetch('/pay');
    now += 1;
    await client.fetch('/pay');
    expect(seals).toEqual([false, false, true]);
  });

  it('ENV-9 can not be changed by the application, which gets the same object', async () => {
    const stage = createStage();
    stage.speak();
    expect(Object.isFrozen(await stage.client().bootstrap())).toBe(true);
  });
});
