import { createMemoryStore } from '@sallyport/ttl-store';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { type Actor, actor, root } from '../../support/accounts.js';
import { freshMobile, roomyApp, sendSmsCode } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { setParameter } from '../files/uploads.js';

describe('the codes of a number that an administrator clears', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let passedMillis = 0;
  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config(roomyApp);
    const resources = bench.resources(config);
    const sessions = createMemoryStore({ now: () => Date.now() + passedMillis });
    app = await bench.appOn(config, { ...resources, stores: { ...resources.stores, sessions } });
    admin = await root(app);
    await setParameter(app, admin.headers, 'app.auth.sms.mobile-captcha-after', 100);
  });
  afterAll(() => bench.close());

  const explained = async (mobile: string) => {
    const url = `/admin/login-policy/explain?username=${mobile.slice(3)}&terminal=app`;
    return (await admin.call('GET', url)).json().data.codes;
  };

  it('OTC-2 an owner who lost three messages gets a fourth after a clear, and the record counts the code that ended', async () => {
    const mobile = freshMobile();
    const send = async () => {
      expect((await sendSmsCode(app, mobile)).statusCode).toBe(202);
      passedMillis += 61_000;
    };
    for (let sends = 0; sends < 4; sends += 1) await send();
    expect(await explained(mobile)).toMatchObject({ liveCodes: 3, messages: 3 });
    for (const endedCodes of [1, 0]) {
      const clear = { username: mobile, terminal: 'app', clientIp: '' };
      expect((await admin.call('POST', '/admin/auth/clearLoginLimit', clear)).statusCode).toBe(200);
      const [record] = await rowsOf<{ detail: unknown }>(
        bench.database.orm,
        sql`select parameters -> 'detail' as detail from audit_records
          where action = 'auth.clear-login-limit' order by sequence desc limit 1`,
      );
      expect(record?.detail).toEqual({ endedCodes });
    }
    expect((await sendSmsCode(app, mobile)).statusCode).toBe(202);
    expect(await explained(mobile)).toMatchObject({ liveCodes: 3, messages: 1 });
  });

  it('LGN-10 TOK-8 to explain a number needs the permission to list app users, and no record shows the number', async () => {
    const limited = await actor(app, admin, ['api:admin:login-policy:explain']);
    const url = '/admin/login-policy/explain?username=138-0013.8000&terminal=app';
    expect((await limited.call('GET', url)).statusCode).toBe(403);
    expect((await admin.call('GET', url)).statusCode).toBe(200);
    const records = await rowsOf<{ text: string }>(
      bench.database.orm,
      sql`select concat(target, parameters) as text from audit_records
        where action = 'login-limit.read' order by sequence desc limit 2`,
    );
    for (const { text } of records) expect(text).toMatch(/^[^{]*\*{4}\d{4}\{.*"\+86138\*{4}8000"/);
  });
});
