import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { generateSigningKey, maskQueryToken } from '../src/index.js';
import { bearer, closeApps, createTestApp } from './test-app.js';

afterEach(closeApps);

describe('logs', () => {
  it('AT-21 no token, ticket or key stands in the log after every kind of request, at the lowest level', async () => {
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
    // Not even the signature, which is what makes a token one.
    const secrets = [token, ended, ...broken, ticket, signingKey.secret].flatMap((secret) =>
      secret.split('.').slice(-1),
    );
    expect(secrets.filter((secret) => secret.length > 8 && log.includes(secret))).toEqual([]);
  });
});
