import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../support/test-app.js';

const wrong = { ...credentials, password: 'f'.repeat(64) };

describe('limits by client', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterAll(() => bench.close());

  it('ADM-4 one address gets 20 sign-ins a minute, the next is 429 with Retry-After, and other routes are not affected', async () => {
    const app = await bench.app();
    const statuses: number[] = [];
    // A different name each time, because five wrong guesses lock a name.
    for (let i = 0; i < 20; i += 1) statuses.push((await signIn(app, { ...wrong, username: `u${i}` })).statusCode);
    expect(new Set(statuses)).toEqual(new Set([401]));
    const refused = await signIn(app);
    expect(refused.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await app.inject('/admin/auth/captcha')).statusCode).toBe(200);
    expect((await signIn(app, credentials, { remoteAddress: '198.51.100.1' })).statusCode).toBe(200);
  });

  it('ORD-7 the requests of a session count for itself, from whatever address, and those without one for the address', async () => {
    const app = await bench.app({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '5' });
    const [one, other] = [await bearer(app), await bearer(app)];
    const read = async (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
      (await app.inject({ url: '/admin/profile', headers, remoteAddress })).statusCode;
    const anonymous = async () => (await app.inject('/public/system-parameters')).statusCode;
    for (let i = 0; i < 5; i += 1) expect([await read(one), await anonymous()]).toEqual([200, 200]);
    expect([await read(one), await anonymous(), await read(other)]).toEqual([429, 429, 200]);
    expect(await read(one, '198.51.100.9')).toBe(429);
  });

  it('LP-04 IP-2 without trusted proxies a new X-Forwarded-For for every guess starts no new counter', async () => {
    const app = await bench.app({ SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '3' });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const headers = {
        'x-forwarded-for': `203.0.113.${i}`,
        'x-real-ip': `203.0.113.${i}`,
        forwarded: `for=203.0.113.${i}`,
      };
      statuses.push((await signIn(app, wrong, { headers })).statusCode);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('LP-06 IP-1 behind a trusted proxy the client is the right-most address that is not a trusted proxy', async () => {
    const app = await bench.app({ SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '2', SERVICE_TRUSTED_PROXIES: '127.0.0.1' });
    const from = (chain: string) =>
      signIn(app, wrong, { headers: { 'x-forwarded-for': chain } }).then(({ statusCode }) => statusCode);
    expect(await from('6.6.6.6, 198.51.100.7')).toBe(401);
    expect(await from('7.7.7.7, 198.51.100.7')).toBe(401);
    expect(await from('8.8.8.8, 198.51.100.7')).toBe(429);
    expect(await from('198.51.100.7, 6.6.6.6')).toBe(401);
  });

  it('LP-08 IP-2 mapped IPv6 is IPv4, and IPv6 is counted by its /64', async () => {
    const app = await bench.app({ SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '2' });
    const from = (remoteAddress: string) => signIn(app, wrong, { remoteAddress }).then(({ statusCode }) => statusCode);
    expect([await from('203.0.113.9'), await from('::ffff:203.0.113.9'), await from('::ffff:cb00:7109')]).toEqual([
      401, 401, 429,
    ]);
    expect([
      await from('2001:db8::1'),
      await from('2001:db8::2'),
      await from('2001:db8::ffff:3'),
      await from('2001:db8:0:1::1'),
    ]).toEqual([401, 401, 429, 401]);
  });

  it('IP-1 the address of the session is the one that the limits count', async () => {
    const app = await bench.app({ SERVICE_TRUSTED_PROXIES: '127.0.0.1' });
    const { token } = (
      await signIn(app, credentials, { headers: { 'x-forwarded-for': '6.6.6.6, 198.51.100.77' } })
    ).json().data;
    const subject = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).sub;
    const sessions = await app.authTokens.sessions({ audience: 'admin', subject });
    expect(sessions.map(({ clientIp }) => clientIp)).toContain('198.51.100.77');
  });

  it('ADM-4 the limit of all other routes counts them together', async () => {
    const app = await bench.app({ SERVICE_RATE_LIMIT_MAX_REQUESTS: '3' });
    const urls = Array.from({ length: 2 }, () => ['/public/system-parameters', '/encryption/public-key']).flat();
    const statuses: number[] = [];
    for (const url of urls) statuses.push((await app.inject(url)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await app.inject('/actuator/health')).statusCode).toBe(200);
  });
});
