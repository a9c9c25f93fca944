import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openGateway, type TestGateway } from '../../../faults/message-gateway.js';
import type { App } from '../../../src/app.js';
import { type Actor, root } from '../../support/accounts.js';
import { appSignIn, freshMobile, roomyApp, sendSmsCode } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe('codes through a gateway', { timeout: 60_000 }, () => {
  let bench: TestBench;
  let gateway: TestGateway;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench('embedded');
  });
  beforeEach(async () => {
    gateway = await openGateway();
    app = await bench.app({
      ...roomyApp,
      SERVICE_NOTIFICATION_GATEWAY_URL: gateway.url,
      SERVICE_NOTIFICATION_GATEWAY_BODY: '{"mobile":"{{mobile}}","code":"{{code}}"}',
    });
    admin = await root(app);
    await setParameter('app.auth.sms.resend-seconds', 1);
    await setParameter('app.auth.sms.mobile-captcha-after', 1000);
  });
  afterEach(async () => {
    await app.close();
    await gateway.close();
  });
  afterAll(() => bench.close());

  async function setParameter(key: string, value: unknown): Promise<void> {
    const { version } = (await admin.call('GET', `/admin/system-parameters/${key}`)).json().data;
    expect((await admin.call('PUT', `/admin/system-parameters/${key}`, { value, version })).statusCode).toBe(200);
  }
  const takenFor = (mobile: string) =>
    gateway.requests.filter(({ body, answered }) => body.mobile === mobile && answered === 200);
  const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 40_000, interval: 50 });
  const statesOf = async () => {
    const { data } = (await admin.call('GET', '/admin/notifications?size=200')).json();
    return data.map(({ state }: { state: string }) => state) as string[];
  };

  it('SV-20 APP-4 OTC-1 while the gateway is down requests are answered as usual; afterwards each code arrives once and signs in', async () => {
    gateway.answer = () => 503;
    const [mobile, other] = [freshMobile(), freshMobile()];
    expect((await sendSmsCode(app, mobile)).statusCode).toBe(202);
    expect((await sendSmsCode(app, other)).statusCode).toBe(202);
    await until(async () => expect(await statesOf()).toContain('retrying'));
    // Within resend-seconds a request sends no message.
    await sleep(1100);
    // A newer code while the older one still waits for the gateway.
    expect((await sendSmsCode(app, mobile)).statusCode).toBe(202);
    await until(() => expect(gateway.requests.length).toBeGreaterThan(4));
    expect(await statesOf()).toHaveLength(3);
    gateway.answer = () => 200;
    await until(async () => expect(await statesOf()).toEqual(['sent', 'sent', 'sent']));
    expect([takenFor(mobile).length, takenFor(other).length]).toEqual([2, 1]);
    for (const { body } of [...takenFor(mobile), ...takenFor(other)]) {
      const credentials = { mobile: body.mobile, smsCode: body.code };
      expect((await appSignIn(app, credentials)).statusCode).toBe(200);
      expect((await appSignIn(app, credentials)).statusCode).toBe(401);
    }
    // The development outbox holds messages only if there is no gateway.
    expect((await app.inject('/dev/sms-outbox')).json().data).toEqual([]);
  });

  it('APP-4 a gateway that does not answer gets a message at most twice', async () => {
    await app.close();
    app = await bench.app({
      ...roomyApp,
      SERVICE_NOTIFICATION_GATEWAY_URL: gateway.url,
      SERVICE_NOTIFICATION_GATEWAY_TIMEOUT_SECONDS: '1',
    });
    admin = await root(app);
    gateway.answer = () => 'silence';
    const mobile = freshMobile();
    await sendSmsCode(app, mobile);
    await until(async () => expect(await statesOf()).toContain('unconfirmed'));
    expect(gateway.requests.map(({ body }) => body.mobile)).toEqual([mobile, mobile]);
    expect(gateway.requests[0]?.body.text).toContain('valid for 5 minutes');
  });
});
