import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type App, composeApp, createApp } from '../../src/app.js';
import { sealed } from '../support/sealed-request.js';
import { credentials, openTestBench, type TestBench } from '../support/test-app.js';

/** 500 requests in 10 s at a price of 20. */
const MAX_OPENINGS = 25;

describe('query envelopes of one client, at default settings', () => {
  let bench: TestBench;
  let app: App;
  let opened: number;
  const headers = { authorization: '' };

  /** A server with fresh counters, that counts what it opens. */
  async function start(overrides: Record<string, string> = {}): Promise<void> {
    const config = bench.config({
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_FLOOD_GATE_MAX_REQUESTS: '500',
      SERVICE_FLOOD_GATE_WINDOW_SECONDS: '10',
      ...overrides,
    });
    app = createApp(config);
    opened = 0;
    await composeApp(app, config, bench.resources(config));
    app.addHook('onResponse', async ({ envelope }) => {
      if (envelope?.carrier === 'query') opened += 1;
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    headers.authorization = await signIn();
  }
  async function signIn(): Promise<string> {
    const login = sealed(app, { method: 'POST', url: '/admin/auth/login', payload: credentials });
    const { data } = login.open(await app.inject(login.options)) as { data: { token: string } };
    return `Bearer ${data.token}`;
  }

  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await app.close();
  });
  afterAll(() => bench.close());

  async function statuses(requests: readonly { url: string; query?: string }[]): Promise<number[]> {
    const answers = await Promise.all(requests.map((one) => app.inject(sealed(app, { ...one, headers }).options)));
    return answers.map(({ statusCode }) => statusCode);
  }
  const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

  const honest: Record<string, () => Promise<number[]>> = {
    'a hundred parallel reads': () => statuses(times(100, () => ({ url: '/admin/profile' }))),
    'a page of 404s, one after another': async () => {
      const found: number[] = [];
      for (let i = 0; i < 60; i += 1) found.push(...(await statuses([{ url: `/admin/users/nobody-${i}` }])));
      return found;
    },
    'sixty parallel unknown paths': () => statuses(times(60, (i) => ({ url: `/admin/unknown/${i}` }))),
    'sixty parallel invalid queries': () => statuses(times(60, () => ({ url: '/admin/users', query: 'page=x' }))),
    'sixty envelopes of a client whose clock is off': async () => {
      const late = times(60, () => sealed(app, { url: '/admin/profile', headers, aheadMillis: -3_600_000 }));
      return Promise.all(late.map(async ({ options }) => (await app.inject(options)).statusCode));
    },
    'a console that is reloaded eight times, with its requests aborted': async () => {
      const send = async (signal?: AbortSignal) => {
        const { url, headers: own } = sealed(app, { url: '/admin/profile', headers }).options;
        const target = `${app.listeningOrigin}${url}`;
        return (await fetch(target, { headers: own as Record<string, string>, signal: signal ?? null })).status;
      };
      for (let reload = 0; reload < 8; reload += 1) {
        const abort = new AbortController();
        const page = times(12, () => send(abort.signal).catch(() => 0));
        await new Promise((resolve) => setTimeout(resolve, reload));
        abort.abort();
        await Promise.all(page);
      }
      return Promise.all(times(12, () => send()));
    },
  };

  it.each(Object.keys(honest))('ORD-6 refuse nothing of %s', async (mix) => {
    await start();
    const answered = await (honest[mix] as () => Promise<number[]>)();
    expect(answered).not.toContain(429);
    // The address is not shut out afterwards either.
    expect(await statuses([{ url: '/admin/profile' }])).toEqual([200]);
  });

  it.each([
    ['an address', false],
    ['a session', true],
  ])(
    'ORD-6 ORD-3 ORD-7 open 25 forged ones of 200 of %s in a window, and no neighbour is charged',
    async (_, hasToken) => {
      await start();
      const neighbour = { authorization: await signIn() };
      const { options } = sealed(app, { url: '/app/auth/captcha', ...(hasToken && { headers }) });
      const url = String(options.url).replace('/app/auth/captcha', hasToken ? '/admin/users' : '/admin/auth/captcha');
      const answers = await Promise.all(times(200, () => app.inject({ ...options, url })));
      const codes = answers.map((answer) => answer.json().code);
      expect(codes.filter((code) => code === 'ENVELOPE_REJECTED')).toHaveLength(MAX_OPENINGS);
      expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(200 - MAX_OPENINGS);
      const spent = sealed(app, hasToken ? { url: '/admin/profile', headers } : { url: '/app/auth/captcha' });
      expect((await app.inject(spent.options)).statusCode).toBe(429);
      // 204 of 500 requests of the address: everything else of it goes on.
      const login = sealed(app, { method: 'POST', url: '/admin/auth/login', payload: credentials });
      expect((await app.inject(login.options)).statusCode).toBe(200);
      expect((await app.inject('/actuator/health')).statusCode).toBe(200);
      const others = times(50, () => sealed(app, { url: '/admin/profile', headers: neighbour }).options);
      const served = await Promise.all(others.map(async (one) => (await app.inject(one)).statusCode));
      expect(new Set(served)).toEqual(new Set([200]));
    },
  );

  it('ORD-6 ORD-3 open one envelope that is sent 200 times at most 26 times', async () => {
    await start();
    const { options } = sealed(app, { url: '/admin/profile', headers });
    const answers = await Promise.all(times(200, () => app.inject(options)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(opened).toBeLessThanOrEqual(MAX_OPENINGS + 1);
  });

  it.each([
    ['a rate limit refuses them', { SERVICE_RATE_LIMIT_MAX_REQUESTS: '5' }],
    ['the server is in safe mode', { SERVICE_SAFE_MODE: 'true' }],
  ])('ORD-6 shut nobody out for good who aborts 60 requests while %s', async (_, overrides) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await start(overrides);
    for (let round = 0; round < 5; round += 1) {
      const abort = new AbortController();
      const page = times(12, async () => {
        const { url, headers: own } = sealed(app, { url: '/admin/profile', headers }).options;
        const options = { headers: own as Record<string, string>, signal: abort.signal };
        await fetch(`${app.listeningOrigin}${url}`, options).catch(() => null);
      });
      await new Promise((resolve) => setTimeout(resolve, 2 + round));
      abort.abort();
      await Promise.all(page);
    }
    // On a busy machine the server meets the last of them late. They would count in the window after this one.
    const connections = () => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections, { timeout: 20_000 }).toBe(0);
    vi.setSystemTime(Date.now() + 70_000);
    expect(await statuses(times(5, () => ({ url: '/admin/profile' })))).not.toContain(429);
  });

  it('ORD-6 ORD-3 open at most 25 beyond a rate limit, in a window', async () => {
    await start({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '5' });
    const answered = await statuses(times(100, () => ({ url: '/admin/profile' })));
    expect(answered.filter((status) => status === 200)).toHaveLength(5);
    expect(opened).toBe(5 + MAX_OPENINGS);
  });
});
