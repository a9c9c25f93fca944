import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { solve } from '@sallyport/captcha/client';
import { createMemoryStore } from '@sallyport/ttl-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, PASSWORD, roomy, root } from '../../support/accounts.js';
import { freshMobile } from '../../support/app-accounts.js';
import { captchaText } from '../../support/captcha-text.js';
import { credentials, openTestBench, type TestBench } from '../../support/test-app.js';

type Purpose = 'login' | 'register' | 'app-login' | 'sms' | 'recover';
type Kind = 'image' | 'proof-of-work' | 'both' | 'external';

/** Where captchas are redeemed: for which purpose, and how a right answer and a wrong one are told. */
const routes = [
  {
    purpose: 'login',
    url: '/admin/auth/login',
    body: () => credentials,
    opened: 200,
    refused: 'CAPTCHA_INVALID',
  },
  {
    purpose: 'register',
    url: '/admin/auth/register',
    body: () => ({
      username: `visitor-${freshMobile().slice(1)}`,
      password: PASSWORD,
      terminal: 'web',
      displayName: 'V',
    }),
    opened: 201,
    refused: 'CAPTCHA_INVALID',
  },
  {
    purpose: 'sms',
    url: '/app/auth/sendSmsCode',
    body: () => ({ mobile: freshMobile() }),
    opened: 202,
    refused: 'CAPTCHA_REQUIRED',
  },
] as const;

/** Where a captcha for each purpose is issued. */
const ISSUED_AT: Readonly<Record<Purpose, string>> = {
  login: '/admin/auth/captcha?for=login',
  register: '/admin/auth/captcha?for=register',
  'app-login': '/app/auth/captcha?for=login',
  sms: '/app/auth/captcha?for=sms',
  recover: '/app/auth/captcha?for=recover',
};

const UNLIMITED = {
  ...roomy,
  SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '100000',
  SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '100000',
};

describe('captchas by purpose', () => {
  const store = createMemoryStore();
  let bench: TestBench;
  let app: App;
  let admin: Actor;

  beforeAll(async () => {
    bench = await openTestBench();
    app = await node();
    admin = await root(app);
    await set('auth.captcha.proof-of-work.cost', 6);
    await set('auth.captcha.proof-of-work.memory-mebibytes', 1);
    await set('admin.auth.registration.enabled', true);
    await set('app.auth.sms.captcha-after', 0);
    await set('app.auth.sms.ip-wrong-daily-limit', 0);
    await set('app.auth.sms.ip-hourly-limit', 100_000);
    await set('admin.auth.captcha.enabled', true);
  });
  afterAll(() => bench.close());

  function node(environment: Record<string, string> = {}): Promise<App> {
    const config = bench.config({ ...UNLIMITED, ...environment });
    const resources = bench.resources(config);
    return bench.appOn(config, { ...resources, stores: { ...resources.stores, sessions: store } });
  }

  async function change(key: string, value: unknown) {
    const url = `/admin/system-parameters/${key}`;
    const { version } = (await admin.call('GET', url)).json().data;
    return admin.call('PUT', url, { value, version });
  }
  const set = async (key: string, value: unknown) => expect((await change(key, value)).statusCode).toBe(200);
  const setKinds = (purpose: Purpose, kinds: string) => set(`auth.captcha.kinds.${purpose}`, kinds);

  /** Asks and answers, as a client does; what a picture shows is read from the store. */
  async function answered(purpose: Purpose, kind: Kind, on = app) {
    const { data } = (await on.inject(`${ISSUED_AT[purpose]}&kind=${kind}`)).json();
    expect(data).toMatchObject({ enabled: true, kind, key: expect.any(String) });
    const entry = await store.get(`captcha:${data.key}`);
    return {
      key: data.key as string,
      ...(data.image !== undefined && { code: captchaText(entry) }),
      ...(data.challenge !== undefined && { proof: await solve(data) }),
      ...(kind === 'external' && { proof: 'right' }),
    };
  }

  async function outcome({ url, body, opened, refused }: (typeof routes)[number], answer: object, on = app) {
    const response = await on.inject({ method: 'POST', url, payload: { ...body(), ...answer } });
    if (response.statusCode === opened) return 'opened';
    return response.json().code === refused ? 'refused' : response.body;
  }

  it.each(routes)('CAP-1 $url takes a captcha for $purpose once, and for no other purpose (CAP-3)', async (route) => {
    for (const kind of ['image', 'proof-of-work'] as const) {
      const right = await answered(route.purpose, kind);
      expect(await outcome(route, right)).toBe('opened');
      expect(await outcome(route, right)).toBe('refused');
      for (const other of (Object.keys(ISSUED_AT) as Purpose[]).filter((each) => each !== route.purpose)) {
        const foreign = await answered(other, kind);
        expect([other, await outcome(route, foreign)]).toEqual([other, 'refused']);
      }
    }
  });

  it.each(routes)(
    'CAP-1 $url takes no proof where the operator wants a picture, and both where he wants both',
    async (route) => {
      const early = await answered(route.purpose, 'proof-of-work');
      await setKinds(route.purpose, 'image');
      expect(await outcome(route, early)).toBe('refused');
      const refused = await app.inject(`${ISSUED_AT[route.purpose]}&kind=proof-of-work`);
      expect(refused.json()).toMatchObject({ status: 400, code: 'CAPTCHA_KIND_REFUSED' });
      expect(await outcome(route, await answered(route.purpose, 'image'))).toBe('opened');
      await setKinds(route.purpose, 'both, image');
      const { data } = (await app.inject(ISSUED_AT[route.purpose])).json();
      expect(data).toMatchObject({ kind: 'both', kinds: ['both', 'image'], image: expect.any(String) });
      const { key, code, proof } = await answered(route.purpose, 'both');
      expect(await outcome(route, { key, code, proof: '0.0.0.0.0.x' })).toBe('refused');
      expect(await outcome(route, { key, code, proof })).toBe('refused');
      expect(await outcome(route, await answered(route.purpose, 'both'))).toBe('opened');
      await setKinds(route.purpose, 'image,proof-of-work');
    },
  );

  it('CAP-1 kinds are refused when they are written: unknown ones, none, and a provider that is not configured', async () => {
    for (const value of ['', 'guess', 'image,', 'image,image', 'Image', 'external', 'image,external']) {
      const { statusCode, body } = await change('auth.captcha.kinds.login', value);
      expect([value, statusCode]).toEqual([value, 400]);
      expect(body).toMatch(value.includes('external') ? /SERVICE_CAPTCHA_VERIFY_URL/ : /separated by commas/);
    }
    const cost = await change('auth.captcha.proof-of-work.cost', 5);
    const memory = await change('auth.captcha.proof-of-work.memory-mebibytes', 3);
    expect([cost.statusCode, memory.statusCode]).toEqual([400, 400]);
  });

  it('CAP-1 the cost of a proof of work is a parameter, and a captcha keeps its own', async () => {
    const ask = async () => (await app.inject(`${ISSUED_AT.login}&kind=proof-of-work`)).json().data;
    const cheap = await ask();
    expect(cheap.challenge).toMatchObject({ n: 1024, puzzles: 6, below: 2 ** 32, purpose: 'login' });
    await set('auth.captcha.proof-of-work.cost', 96);
    expect((await ask()).challenge.below).toBe(2 ** 28);
    expect(await outcome(routes[0], { key: cheap.key, proof: await solve(cheap) })).toBe('opened');
    await set('auth.captcha.proof-of-work.cost', 6);
  });

  it('CAP-1 a provider is asked by the siteverify protocol, and without its answer nobody is let through', async () => {
    const asked: URLSearchParams[] = [];
    let said: { status: number; body: string } = { status: 200, body: '{"success":true}' };
    const provider = createServer((request, response) => {
      let form = '';
      request.on('data', (chunk) => {
        form += chunk;
      });
      request.on('end', () => {
        asked.push(new URLSearchParams(form));
        response.writeHead(said.status, { location: '/elsewhere' }).end(said.body);
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const { port } = provider.address() as AddressInfo;
    const withProvider = await node({
      SERVICE_CAPTCHA_VERIFY_URL: `http://127.0.0.1:${port}/siteverify`,
      SERVICE_CAPTCHA_VERIFY_SECRET: 's3cret',
    });
    const url = '/admin/system-parameters/auth.captcha.kinds.login';
    const headers = admin.headers;
    const write = async (value: string) => {
      const { version } = (await withProvider.inject({ url, headers })).json().data;
      const answer = await withProvider.inject({ method: 'PUT', url, headers, payload: { value, version } });
      expect(answer.statusCode).toBe(200);
    };
    const attempt = async () => {
      const payload = { ...credentials, ...(await answered('login', 'external', withProvider)) };
      const response = await withProvider.inject({ method: 'POST', url: '/admin/auth/login', payload });
      return response.statusCode === 200 ? 200 : `${response.statusCode} ${response.json().code}`;
    };
    try {
      await write('external');
      expect(await attempt()).toBe(200);
      expect(Object.fromEntries(asked[0]!)).toEqual({ secret: 's3cret', response: 'right', remoteip: '127.0.0.1' });
      said = { status: 200, body: '{"success":false,"error-codes":["timeout-or-duplicate"]}' };
      expect(await attempt()).toBe('400 CAPTCHA_INVALID');
      for (const bad of [
        { status: 500, body: '{"success":true}' },
        { status: 200, body: '{}' },
        { status: 302, body: '' },
      ]) {
        said = bad;
        expect(await attempt()).toBe('503 CAPTCHA_PROVIDER_UNAVAILABLE');
      }
      provider.closeAllConnections();
      await new Promise((resolve) => provider.close(resolve));
      // As many again would lock the account, if one of them counted as a failure.
      for (let i = 0; i < 5; i += 1) expect(await attempt()).toBe('503 CAPTCHA_PROVIDER_UNAVAILABLE');
      await write('image');
      const payload = { ...credentials, ...(await answered('login', 'image', withProvider)) };
      expect((await withProvider.inject({ method: 'POST', url: '/admin/auth/login', payload })).statusCode).toBe(200);
    } finally {
      await write('image,proof-of-work');
    }
  });
});
