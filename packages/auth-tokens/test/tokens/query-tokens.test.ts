import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { maskQueryToken } from '../../src/index.js';
import { bearer, closeApps, createTestApp } from '../test-app.js';

afterEach(closeApps);

/** A log that a test can read. */
function openLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => lines.join('') };
}

const serializers = {
  req: (request: { method: string; url: string }) => ({ method: request.method, url: maskQueryToken(request.url) }),
};

describe('query tokens', () => {
  it('TOK-9 AT-13 are ignored unless they are allowed, whatever the parameter', async () => {
    const log = openLog();
    const { app, signIn } = await createTestApp({}, { logger: { stream: log.stream, serializers } });
    const token = await signIn();
    for (const name of ['token', 'access_token', 'authorization', 'Authorization', 'access%5Ftoken']) {
      for (const path of ['/admin', '/file']) {
        const reply = await app.inject(`${path}?${name}=${token}`);
        expect([name, reply.statusCode, reply.json().code]).toEqual([name, 401, 'TOKEN_MISSING']);
        expect((await app.inject(`${path}?${name}=Bearer%20${token}`)).statusCode).toBe(401);
      }
    }
    expect(log.text()).toContain('access_token=***');
    expect(log.text()).not.toContain(token);
  });

  it('TOK-9 AT-14 are accepted, if allowed, on GET routes that declare it, and nowhere else', async () => {
    const log = openLog();
    const settings = { logger: { level: 'trace', stream: log.stream, serializers } };
    const { app, code, signIn } = await createTestApp({ allowQueryToken: true }, settings);
    const token = await signIn();
    const reply = await app.inject(`/file?a=1&access_token=${token}&b=2`);
    expect([reply.statusCode, reply.json()]).toEqual([200, { query: { a: '1', b: '2' } }]);
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });

    expect(await code(`/admin?access_token=${token}`)).toBe('401 TOKEN_MISSING');
    expect(await code(`/nowhere?access_token=${token}`)).toBe('401 TOKEN_MISSING');
    expect((await app.inject({ method: 'HEAD', url: `/file?access_token=${token}` })).statusCode).toBe(401);
    expect((await app.inject({ method: 'POST', url: `/logout?access_token=${token}` })).statusCode).toBe(401);
    for (const name of ['token', 'authorization', 'ACCESS_TOKEN']) {
      expect(await code(`/file?${name}=${token}`)).toBe('401 TOKEN_MISSING');
    }
    expect(log.text()).toContain('/file?a=1&access_token=***&b=2');
    expect(log.text()).not.toContain(token);
  });

  it('TOK-9 must be a single token, and the only one of the request', async () => {
    const { app, code, signIn } = await createTestApp({ allowQueryToken: true });
    const token = await signIn();
    for (const query of [
      `access_token=${token}&access_token=${token}`,
      'access_token=',
      'access_token',
      `access_token=${token},`,
      `access_token=Bearer%20${token}`,
      `access_token=${'x'.repeat(5000)}`,
    ]) {
      const reply = await app.inject(`/file?${query}`);
      expect([query.slice(0, 30), reply.statusCode, reply.json().code]).toEqual([
        query.slice(0, 30),
        401,
        'TOKEN_INVALID',
      ]);
      expect(reply.headers['cache-control']).toBe('no-store');
    }
    const both = await app.inject({ url: `/file?access_token=${token}`, headers: bearer(token) ?? {} });
    expect(both.json().code).toBe('TOKEN_INVALID');
    const inHeader = await app.inject({ url: '/file', headers: bearer(token) ?? {} });
    expect([inHeader.statusCode, inHeader.headers['referrer-policy']]).toEqual([200, undefined]);
    await app.authTokens.revokeAll({ subject: 'u-1', audience: 'admin' });
    expect(await code(`/file?access_token=${token}`)).toBe('401 SESSION_REVOKED');
  });

  it('TOK-9 AT-14 stop the start if the log would contain them', async () => {
    const { stream } = openLog();
    await expect(createTestApp({ allowQueryToken: true }, { logger: { stream } })).rejects.toThrow(
      "allowQueryToken: the log's req serializer shows tokens; mask its url with maskQueryToken()",
    );
    await expect(createTestApp({ allowQueryToken: false }, { logger: { stream } })).resolves.toBeDefined();
    await expect(createTestApp({ allowQueryToken: true }, { logger: false })).resolves.toBeDefined();
  });

  it('TOK-9 AT-14 are masked in a URL in every spelling of the parameter, and nothing else is', () => {
    const masked: [string, string][] = [
      ['/f?access_token=abc', '/f?access_token=***'],
      ['/f?a=1&access_token=abc.def-_~+/==&b=2#x', '/f?a=1&access_token=***&b=2#x'],
      ['/f?Access_Token=abc&TOKEN=d', '/f?Access_Token=***&TOKEN=***'],
      ['/f?%61ccess%5Ftoken=abc', '/f?%61ccess%5Ftoken=***'],
      ['/f?access_token[]=abc&token%5B0%5D=d', '/f?access_token[]=***&token%5B0%5D=***'],
      ['/f;access_token=abc', '/f;access_token=***'],
      ['/f?access_token=abc&access_token=def', '/f?access_token=***&access_token=***'],
      ['http://x/f?id=7&ticket=abc', 'http://x/f?id=7&ticket=***'],
      ['/f?authorization=Bearer%20abc', '/f?authorization=***'],
    ];
    expect(masked.map(([url]) => maskQueryToken(url))).toEqual(masked.map(([, shown]) => shown));
    for (const url of ['', '/', '/token/abc', '/f?tokens=abc&id=token', '/f?%zz=1', '*', '/f?access_token']) {
      expect(maskQueryToken(url)).toBe(url);
    }
  });
});
