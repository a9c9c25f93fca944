import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { freshMobile, outboxOf } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

/** All that the tables of the interface document name for an app: paths, and the members of requests. */
const PATHS = { code: '/app/auth/sendSmsCode', login: '/app/auth/login', logout: '/auth/logout' } as const;

/** A client that was written from these tables alone: it knows no handle, no captcha and no purpose. */
function documentClient(app: () => App, mobile: string) {
  let token = '';
  const post = (url: string, payload?: object) => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    return app().inject({ method: 'POST', url, headers, ...(payload && { payload }) });
  };
  return {
    askForCode: () => post(PATHS.code, { mobile }),
    async signIn(smsCode: string) {
      const answer = await post(PATHS.login, { mobile, smsCode, terminal: 'app' });
      if (answer.statusCode === 200) token = answer.json().data.token;
      return answer;
    },
    signOut: () => post(PATHS.logout),
  };
}

describe('a client of the interface document', () => {
  let bench: TestBench;
  let app: App;
  let store: TtlStore = createMemoryStore();
  let storeTime = 0;
  const presentStore = new Proxy({} as TtlStore, { get: (_target, verb: keyof TtlStore) => store[verb] });

  async function start(): Promise<App> {
    const config = bench.config();
    const resources = bench.resources(config);
    return bench.appOn(config, { ...resources, stores: { ...resources.stores, sessions: presentStore } });
  }
  beforeAll(async () => {
    bench = await openTestBench();
    app = await start();
  });
  afterAll(() => bench.close());
  beforeEach(() => {
    store = createMemoryStore({ now: () => Date.now() + storeTime });
  });

  const pass = (seconds: number) => {
    storeTime += seconds * 1000;
  };
  /** What the phone has received after so many messages. */
  const received = (mobile: string, count: number) =>
    vi.waitFor(
      async () => {
        const messages = await outboxOf(app, mobile);
        expect(messages).toHaveLength(count);
        return messages[0]!.code;
      },
      { timeout: 20_000, interval: 20 },
    );

  it('OTC-4 signs in, after a lost message, an expired code, a double click and a restart', async () => {
    const mobile = freshMobile();
    const client = documentClient(() => app, mobile);
    // Lost on its way: a minute later the person asks again.
    expect((await client.askForCode()).statusCode).toBe(202);
    await received(mobile, 1);
    pass(61);
    // A double click: two requests, one message.
    const clicks = await Promise.all([client.askForCode(), client.askForCode()]);
    expect(clicks.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    const late = await received(mobile, 2);
    // The person comes back when the code has expired. `LOGIN_FAILED` names no member of a request.
    pass(301);
    const failed = await client.signIn(late);
    expect([failed.statusCode, failed.json().code]).toEqual([401, 'LOGIN_FAILED']);
    pass(3600 - 362);
    expect((await client.askForCode()).statusCode).toBe(202);
    const code = await received(mobile, 3);
    app = await start();
    // A double click on the sign-in: the code is used once, and the session that it opened lives.
    const [one, other] = await Promise.all([client.signIn(code), client.signIn(code)]);
    expect([one.statusCode, other.statusCode].sort()).toEqual([200, 401]);
    expect((await client.signOut()).statusCode).toBeLessThan(300);
  });

  it('OTC-4 gets three codes within the hour; then the refusal says where a captcha is to be had, and so does that place', async () => {
    const mobile = freshMobile();
    const client = documentClient(() => app, mobile);
    const told = async (query: string) => (await app.inject(`/app/auth/captcha${query}`)).json().data;
    const ofNumber = `?mobile=${encodeURIComponent(mobile)}`;
    for (let count = 1; count <= 3; count += 1) {
      expect(await told(ofNumber)).toEqual({ enabled: false });
      expect((await client.askForCode()).statusCode).toBe(202);
      await received(mobile, count);
      pass(61);
    }
    expect(await told(ofNumber)).toMatchObject({ enabled: true, kind: 'image' });
    expect(await told('')).toEqual({ enabled: false });
    const refused = await client.askForCode();
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { code: 'CAPTCHA_REQUIRED', clientAction: 'answer-captcha', captcha: '/app/auth/captcha?for=sms' },
    ]);
    expect(await told(refused.json().captcha.slice('/app/auth/captcha'.length))).toMatchObject({
      key: expect.any(String),
      image: expect.stringMatching(/^data:image\/png/),
      alphabet: expect.any(String),
    });
    const bad = await app.inject('/app/auth/captcha?mobile=12');
    expect([bad.statusCode, bad.json().code]).toEqual([400, 'MOBILE_INVALID']);
  });
});
