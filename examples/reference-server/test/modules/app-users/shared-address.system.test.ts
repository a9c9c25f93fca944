import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { actor, PASSWORD, root } from '../../support/accounts.js';
import { appSignIn, freshMobile, sendSmsCode } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

/** The address of a carrier or of an office, at default settings. */
const SHARED = { remoteAddress: '198.51.100.1' };

describe('people behind one address', () => {
  let bench: TestBench;
  let app: App;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app();
  });
  afterAll(() => bench.close());

  it('OTC-2 ADM-4 the limits of requests leave a carrier address four times the sign-ins of its busiest minute', async () => {
    // 5000 people a day are 480 in the busiest hour (the simulation of the package), 8 a minute; a random minute of
    // that hour has more than 25 once in a million. Each asks for a code and a captcha, mistypes it, and signs in.
    for (let person = 0; person < 25; person += 1) {
      const mobile = freshMobile();
      const sent = await sendSmsCode(app, mobile, SHARED);
      // From 20 codes on that nobody has used a captcha is asked; nobody is refused.
      expect([202, 400]).toContain(sent.statusCode);
      if (sent.statusCode === 400) expect(sent.json().code).toBe('CAPTCHA_REQUIRED');
      expect((await app.inject({ url: '/app/auth/captcha?kind=proof-of-work', ...SHARED })).statusCode).toBe(200);
      for (let i = 0; i < 2; i += 1) {
        expect((await appSignIn(app, { mobile, smsCode: '000000' }, SHARED)).statusCode).toBeLessThan(429);
      }
    }
  });

  it('LGN-6 one forgotten password in an office locks this name there, and nobody else', async () => {
    const admin = await root(app);
    const [forgetful, colleague] = [await actor(app, admin, []), await actor(app, admin, [])];
    const signIn = (username: string, password: string) =>
      app.inject({
        method: 'POST',
        url: '/admin/auth/login',
        payload: { username, password, terminal: 'web' },
        ...SHARED,
      });
    const statuses = [];
    for (let i = 0; i < 15; i += 1) statuses.push((await signIn(forgetful.username, 'f'.repeat(64))).statusCode);
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(10).fill(429)]);
    expect((await signIn(colleague.username, PASSWORD)).statusCode).toBe(200);
  });
});
