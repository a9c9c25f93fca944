import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { createMemoryStore } from '@sallyport/ttl-store';
import { afterEach, describe, expect, it } from 'vitest';
import { generateSigningKey, maskQueryToken } from '../src/index.js';
import { bearer, closeApps, createTestApp } from './test-app.js';

afterEach(closeApps);

describe('logs', () => {
  it('AT-21 the log contains no token, ticket or key after any kind of request, at the lowest level', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    const serializers = {
      req: (request: { method: string; url: string }) => ({ method: request.method, url: maskQueryToken(request.url) }),
    };
    const signingKey = generateSigningKey('HS256');
    const { app, signIn, get } = await createTestApp(
      { signingKey, allowQueryToken: true, ticketPurposes: ['download'] },
      { logger: { level: 'trace', stream, serializers } },
    );
    app.log.info({ tokens: app.authTokens }, 'the engine itself may be logged');
    const [token, ended] = [await signIn('u-1'), await signIn('u-2')];
    await app.authTokens.revokeAll({ subject: 'u-2', audience: 'admin' });
    const broken = [`${token}x`, token.slice(0, -8), `${token.split('.').slice(0, 2).join('.')}.AAAA`];
    for (const one of [token, ended, ...broken]) {
      for (const url of ['/admin', '/app', '/public', '/nowhere', '/file', `/file?access_token=${one}`]) {
        await get(url, one);
        await app.inject(url);
      }
      app.log.error(await app.authTokens.check(one).catch((error: unknown) => error), 'checked');
    }
    const principal = await app.authTokens.check(token);
    const { ticket } = await app.authTokens.issueTicket({ purpose: 'download', resource: 'x', principal });
    await app.inject({ url: `/public?ticket=${ticket}`, headers: bearer(token) ?? {} });
    app.log.error(
      await app.authTokens
        .redeemTicket({ purpose: 'download', resource: 'y', ticket })
        .catch((error: unknown) => error),
    );

    const log = lines.join('');
    expect(log).toContain('TOKEN_INVALID');
    // Not even the signature, the secret part of a token.
    const secrets = [token, ended, ...broken, ticket, signingKey.secret].flatMap((secret) =>
      secret.split('.').slice(-1),
    );
    expect(secrets.filter((secret) => secret.length > 8 && log.includes(secret))).toEqual([]);
  });

  it('AT-21 refusals and their causes contain nothing of a foreign token or a broken ticket record', async () => {
    const memory = createMemoryStore();
    const store = { ...memory, take: async () => '{"purpose":hunter2}' };
    const { app, signIn } = await createTestApp({ store, ticketPurposes: ['download'] });
    const [header = '', claims = '', signature = ''] = (await signIn()).split('.');
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const ours = JSON.parse(Buffer.from(header, 'base64url').toString());
    const foreign = [
      `${encode('hunter2 is no JSON')}.${claims}.${signature}`,
      `${encode('{"kid":"hunter2"}')}.${claims}.${signature}`,
      `${encode('"hunter2"')}.${claims}.${signature}`,
      `${encode(JSON.stringify({ ...ours, typ: 'hunter2' }))}.${claims}.${signature}`,
      `${encode(JSON.stringify({ ...ours, crit: ['hunter2'], hunter2: 1 }))}.${claims}.${signature}`,
      `${header}.${encode('hunter2 is no JSON')}.${signature}`,
      `${header}.${encode('["hunter2"]')}.${signature}`,
      `${header}.${encode('"hunter2"')}.${signature}`,
    ];
    const refusals = await Promise.all([
      ...foreign.map((token) => app.authTokens.check(token).catch((error: unknown) => error)),
      app.authTokens
        .redeemTicket({ purpose: 'download', resource: 'x', ticket: 'A'.repeat(43) })
        .catch((error: unknown) => error),
    ]);
    expect(refusals.map((refusal) => (refusal as { code?: unknown }).code)).toEqual([
      ...foreign.map(() => 'TOKEN_INVALID'),
      'SESSION_STORE_UNAVAILABLE',
    ]);
    const causes = refusals.map((refusal) => (refusal as Error).cause);
    expect(causes.filter((cause) => !(cause instanceof Error))).toEqual([]);
    for (const refusal of refusals) {
      expect(inspect(refusal, { depth: 9, showHidden: true })).not.toMatch(/hunter2/);
    }
  });
});
