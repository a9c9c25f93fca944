import { createHash } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import { afterEach, describe, expect, it } from 'vitest';
import { generateSigningKey } from '../../src/index.js';
import { closeApps, createTestApp, signingKey, TestClock } from '../test-app.js';

afterEach(closeApps);

const download = { purpose: 'download', resource: 'file-1' };
const invalid = { code: 'TICKET_INVALID', statusCode: 403 };

/** A server with a signed-in user, and a record of what was written to its store. */
async function signedIn(subject = 'u-1') {
  const clock = new TestClock();
  const memory = createMemoryStore({ now: clock.now });
  const written = new Map<string, string>();
  const store: typeof memory = {
    ...memory,
    setIfAbsent: (key, value, ttlMillis) => {
      written.set(key, value);
      return memory.setIfAbsent(key, value, ttlMillis);
    },
  };
  const { app } = await createTestApp({ store, ticketPurposes: ['download', 'preview'] }, {}, clock);
  const { token, sessionId } = await app.authTokens.issue({ subject, audience: 'app' });
  const principal = await app.authTokens.check(token);
  return { clock, store, written, sessionId, principal, tokens: app.authTokens };
}

describe('tickets', () => {
  it('TOK-10 gives the principal’s right to one resource, once, for a minute at most', async () => {
    const { tokens, principal, clock } = await signedIn();
    const { ticket, expiresInSeconds } = await tokens.issueTicket({ ...download, principal });
    expect(expiresInSeconds).toBe(60);
    expect(Buffer.from(ticket, 'base64url')).toHaveLength(32);
    clock.advance(59);
    expect(await tokens.redeemTicket({ ...download, ticket })).toEqual(principal);
    await expect(tokens.redeemTicket({ ...download, ticket })).rejects.toMatchObject(invalid);
  });

  it('TOK-10 expires', async () => {
    const { tokens, principal, clock } = await signedIn();
    const { ticket } = await tokens.issueTicket({ ...download, principal });
    const short = await tokens.issueTicket({ ...download, principal, ttlSeconds: 5 });
    expect(short.expiresInSeconds).toBe(5);
    clock.advance(5);
    await expect(tokens.redeemTicket({ ...download, ticket: short.ticket })).rejects.toMatchObject(invalid);
    clock.advance(55);
    await expect(tokens.redeemTicket({ ...download, ticket })).rejects.toMatchObject(invalid);

    // Even if the store keeps it for longer.
    const slow = new TestClock();
    const { app } = await createTestApp(
      { store: createMemoryStore({ now: slow.now }), ticketPurposes: ['download'] },
      {},
      clock,
    );
    const issued = await app.authTokens.issue({ subject: 'u-1', audience: 'app' });
    const late = await app.authTokens.issueTicket({ ...download, principal: await app.authTokens.check(issued.token) });
    clock.advance(60);
    await expect(app.authTokens.redeemTicket({ ...download, ticket: late.ticket })).rejects.toMatchObject(invalid);
    for (const ttlSeconds of [0, 61, -1, 1.5, Number.NaN, '60' as never]) {
      await expect(tokens.issueTicket({ ...download, principal, ttlSeconds })).rejects.toThrow(TypeError);
    }
  });

  it('TOK-10 is bound to purpose, resource and subject, and an attempt with another one uses it up', async () => {
    const { tokens, principal } = await signedIn();
    for (const wrong of [{ purpose: 'preview' }, { resource: 'file-2' }, { subject: 'u-2' }, { subject: '' }]) {
      const { ticket } = await tokens.issueTicket({ ...download, principal });
      await expect(tokens.redeemTicket({ ...download, ticket, ...wrong })).rejects.toMatchObject(invalid);
      await expect(tokens.redeemTicket({ ...download, ticket })).rejects.toMatchObject(invalid);
    }
    const { ticket } = await tokens.issueTicket({ ...download, principal });
    expect(await tokens.redeemTicket({ ...download, ticket, subject: 'u-1' })).toEqual(principal);
  });

  it('TOK-10 TOK-6 ends with the session that asked for it', async () => {
    const ends: ((server: Awaited<ReturnType<typeof signedIn>>) => unknown)[] = [
      ({ tokens, sessionId }) => tokens.revoke(sessionId),
      ({ tokens }) => tokens.revokeAll({ subject: 'u-1', audience: 'app' }, 'PASSWORD_CHANGED'),
    ];
    for (const end of ends) {
      const server = await signedIn();
      const { ticket } = await server.tokens.issueTicket({ ...download, principal: server.principal });
      await end(server);
      // Another session of the same subject makes no difference.
      await server.tokens.issue({ subject: 'u-1', audience: 'app' });
      await expect(server.tokens.redeemTicket({ ...download, ticket })).rejects.toMatchObject(invalid);
    }
  });

  it('TOK-10 TOK-4 is valid until the key of its session’s token is removed', async () => {
    const { principal, tokens, clock, store } = await signedIn();
    const next = { store, ticketPurposes: ['download'], signingKey: generateSigningKey() };
    const { algorithm, publicKey } = signingKey;
    const rotated = await createTestApp({ ...next, verificationKeys: [{ algorithm, publicKey }] }, {}, clock);
    const retired = await createTestApp(next, {}, clock);
    const ticketOf = async () => (await tokens.issueTicket({ ...download, principal })).ticket;
    expect(await rotated.app.authTokens.redeemTicket({ ...download, ticket: await ticketOf() })).toEqual(principal);
    const ticket = await ticketOf();
    await expect(retired.app.authTokens.redeemTicket({ ...download, ticket })).rejects.toMatchObject(invalid);
    await expect(tokens.redeemTicket({ ...download, ticket })).rejects.toMatchObject(invalid);
    // The session can still be ended there, and is still listed.
    const { sessionId } = principal;
    const owner = { audience: 'app', subject: 'u-1' };
    expect(await retired.app.authTokens.sessions(owner)).toMatchObject([{ sessionId }]);
    expect(Object.keys((await retired.app.authTokens.sessions(owner))[0] ?? {})).not.toContain('keyId');
    expect(await retired.app.authTokens.revoke(sessionId)).toBe(true);
  });

  it('TOK-10 TOK-6 TOK-8 needs the permission of its purpose when it is issued and when it is redeemed', async () => {
    const code = 'api:admin:auth:clearLoginLimit';
    let grants: readonly string[] = [code];
    let isAway = false;
    const { app } = await createTestApp({
      permissions: [code],
      loadPermissions: async () => {
        if (isAway) throw new Error('away');
        return grants;
      },
      ticketPurposes: { download: code, preview: null },
    });
    const { token } = await app.authTokens.issue({ subject: 'u-1', audience: 'app' });
    const principal = await app.authTokens.check(token);
    const issue = (purpose: string) => app.authTokens.issueTicket({ purpose, resource: 'file-1', principal });
    const redeem = (purpose: string, { ticket }: { ticket: string }) =>
      app.authTokens.redeemTicket({ purpose, resource: 'file-1', ticket });
    expect(await redeem('download', await issue('download'))).toEqual(principal);

    const [lost, unaffected] = [await issue('download'), await issue('preview')];
    grants = ['api:admin:auth:explain'];
    await expect(redeem('download', lost)).rejects.toMatchObject(invalid);
    await expect(issue('download')).rejects.toMatchObject({ code: 'PERMISSION_DENIED', statusCode: 403 });
    expect(await redeem('preview', unaffected)).toEqual(principal);
    grants = [code];
    await expect(redeem('download', lost)).rejects.toMatchObject(invalid);

    const unsure = await issue('download');
    isAway = true;
    await expect(redeem('download', unsure)).rejects.toMatchObject({
      code: 'PERMISSIONS_UNAVAILABLE',
      statusCode: 503,
    });
  });

  it('TOK-10 UPL-11 a purpose needs of each audience its own: a permission, or a check of the resource', async () => {
    const code = 'api:admin:auth:clearLoginLimit';
    const files = new Map([['file-1', 'u-1']]);
    let isAway = false;
    const { app } = await createTestApp({
      permissions: [code],
      loadPermissions: async () => [code],
      ticketPurposes: {
        download: {
          admin: code,
          async app({ subject }, resource) {
            if (isAway) throw new Error('away');
            return files.get(resource) === subject;
          },
        },
        report: { admin: null },
      },
    });
    const holder = async (audience: string, subject: string) =>
      app.authTokens.check((await app.authTokens.issue({ subject, audience })).token);
    const [owner, other, admin] = [
      await holder('app', 'u-1'),
      await holder('app', 'u-2'),
      await holder('admin', 'u-1'),
    ];
    const issue = (principal: typeof owner, resource = 'file-1', purpose = 'download') =>
      app.authTokens.issueTicket({ purpose, resource, principal });
    const redeem = ({ ticket }: { ticket: string }) =>
      app.authTokens.redeemTicket({ purpose: 'download', resource: 'file-1', ticket });
    const denied = { code: 'PERMISSION_DENIED', statusCode: 403 };

    expect(await redeem(await issue(owner))).toEqual(owner);
    expect(await redeem(await issue(admin))).toEqual(admin);
    for (const refused of [issue(other), issue(owner, 'file-2'), issue(owner, 'file-1', 'report')]) {
      await expect(refused).rejects.toMatchObject(denied);
    }
    expect(await issue(admin, 'file-1', 'report')).toMatchObject({ expiresInSeconds: 60 });

    const [lost, unsure] = [await issue(owner), await issue(owner)];
    files.set('file-1', 'u-2');
    await expect(redeem(lost)).rejects.toMatchObject(invalid);
    isAway = true;
    await expect(redeem(unsure)).rejects.toMatchObject({ code: 'PERMISSIONS_UNAVAILABLE', statusCode: 503 });
  });

  it('TOK-10 the store contains a hash of the ticket', async () => {
    const { tokens, principal, written } = await signedIn();
    const { ticket } = await tokens.issueTicket({ ...download, principal });
    const hash = createHash('sha256').update(ticket).digest('base64url');
    expect([...written.keys()]).toEqual([`auth-tokens:ticket:${hash}`]);
    expect([...written.values()].join('')).not.toContain(ticket);
  });

  it('TOK-10 texts that are not tickets, and undeclared purposes, are refused', async () => {
    const { tokens, principal } = await signedIn();
    for (const ticket of ['', 'x', 'A'.repeat(43), 'A'.repeat(44), undefined, null, 7, ['A'.repeat(43)], {}]) {
      await expect(tokens.redeemTicket({ ...download, ticket })).rejects.toMatchObject(invalid);
    }
    const undeclared = { code: 'TICKET_USE_INVALID', statusCode: 400 };
    const upload = { purpose: 'upload', resource: 'x' };
    await expect(tokens.issueTicket({ ...upload, principal })).rejects.toMatchObject(undeclared);
    await expect(tokens.redeemTicket({ ...upload, ticket: 'x' })).rejects.toMatchObject(undeclared);
    for (const resource of ['', 'x'.repeat(513), 7 as never]) {
      await expect(tokens.issueTicket({ ...download, resource, principal })).rejects.toMatchObject(undeclared);
    }
  });
});
