import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, roomy, root, token } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe('sessions and tickets', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  const list = async (who: Actor, query = '') => (await who.call('GET', `/admin/sessions${query}`)).json();

  it('TOK-7 HTTP-1 administrators list their own sessions, with the current one marked', async () => {
    const self = await actor(app, admin, []);
    await token(app, self.username);
    const { data, page } = await list(self);
    expect(page).toEqual({ number: 1, size: 20, total: 2, next: null });
    expect(data.map(({ current }: { current: boolean }) => current).sort()).toEqual([false, true]);
    expect(data[0]).toEqual({
      id: expect.any(String),
      audience: 'admin',
      subject: self.id,
      terminal: 'web',
      clientIp: '127.0.0.1',
      userAgent: 'lightMyRequest',
      issuedAt: expect.any(Number),
      lastSeenAt: expect.any(Number),
      expiresAt: expect.any(Number),
      idleExpiresAt: expect.any(Number),
      current: expect.any(Boolean),
    });
    expect(data[0].idleExpiresAt - data[0].lastSeenAt).toBe(30 * 60_000);
    expect((await list(self, '?size=1&page=2')).data).toHaveLength(1);
  });

  it('TOK-7 listing and ending the sessions of others needs the permission', async () => {
    const self = await actor(app, admin, []);
    const victim = await actor(app, admin, []);
    const guard = await actor(app, admin, ['api:admin:sessions:list', 'api:admin:sessions:end']);
    const victims = `?subject=${victim.id}`;
    const { id } = (await list(guard, victims)).data[0];
    expect((await list(self, victims)).code).toBe('PERMISSION_DENIED');
    expect((await self.call('DELETE', `/admin/sessions/${id}`)).statusCode).toBe(403);
    expect((await self.call('DELETE', `/admin/administrators/${victim.id}/sessions`)).statusCode).toBe(403);
    expect((await victim.call('GET', '/admin/profile')).statusCode).toBe(200);
    expect((await guard.call('DELETE', `/admin/sessions/${id}`)).statusCode).toBe(204);
    expect((await guard.call('DELETE', `/admin/sessions/${id}`)).json()).toMatchObject({ code: 'NOT_FOUND' });
    expect((await victim.call('GET', '/admin/profile')).json()).toMatchObject({ code: 'SESSION_REVOKED' });
  });

  it('TOK-7 ending one of several sessions leaves the others', async () => {
    const self = await actor(app, admin, []);
    const second = await token(app, self.username);
    const { data } = await list(self);
    const { id } = data.find(({ current }: { current: boolean }) => !current);
    expect((await self.call('DELETE', `/admin/sessions/${id}`)).statusCode).toBe(204);
    expect((await app.inject({ url: '/admin/profile', headers: second })).json().code).toBe('SESSION_REVOKED');
    expect((await self.call('GET', '/admin/profile')).statusCode).toBe(200);
  });

  it('TOK-7 an id of no session or account is 404 or 400, never a server error', async () => {
    for (const id of ['x', '%00', `${'a'.repeat(24)}.YWRtaW46eA`, randomUUID()]) {
      expect((await admin.call('DELETE', `/admin/sessions/${id}`)).statusCode).toBe(404);
      expect((await admin.call('DELETE', `/admin/administrators/${id}/sessions`)).statusCode).toBe(404);
    }
    for (const subject of ['x', '', '%00', '*']) {
      expect((await admin.call('GET', `/admin/sessions?subject=${subject}`)).statusCode).toBe(400);
    }
    expect(await list(admin, `?subject=${randomUUID()}`)).toMatchObject({ data: [], page: { total: 0 } });
  });

  const issue = (who: Actor, use: object) => who.call('POST', '/auth/tickets', use);
  const use = { purpose: 'storage:download', resource: 'file-1' };

  it('TOK-10 REL-4 a ticket is valid for one use of one resource: one of 20 parallel redemptions succeeds', async () => {
    const { ticket } = (await issue(admin, use)).json().data;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => app.authTokens.redeemTicket({ ...use, ticket })),
    );
    const won = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(won).toMatchObject([{ value: { subject: admin.id, audience: 'admin' } }]);
    const wasted = (await issue(admin, use)).json().data.ticket;
    await expect(app.authTokens.redeemTicket({ ...use, resource: 'file-2', ticket: wasted })).rejects.toMatchObject({
      code: 'TICKET_INVALID',
    });
    await expect(app.authTokens.redeemTicket({ ...use, ticket: wasted })).rejects.toMatchObject({
      code: 'TICKET_INVALID',
    });
  });

  it('TOK-10 a ticket needs a session, the permission of its purpose, and a known purpose', async () => {
    const clerk = await actor(app, admin, []);
    expect((await app.inject({ method: 'POST', url: '/auth/tickets', payload: use })).statusCode).toBe(401);
    expect((await issue(clerk, use)).json()).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    for (const purpose of ['x', '__proto__', 'constructor']) {
      expect((await issue(admin, { ...use, purpose })).json()).toMatchObject({ code: 'TICKET_USE_INVALID' });
    }
    for (const body of [{}, { ...use, resource: '' }, { ...use, ttlSeconds: 3600 }, { ...use, purpose: 7 }]) {
      expect((await issue(admin, body)).json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    }
  });

  it('AT-17 a token of another audience or issuer is refused on the endpoints of administrators', async () => {
    await expect(app.authTokens.issue({ subject: admin.id, audience: 'guest' })).rejects.toThrow(/audience/);
    const foreign = await bench.app({ ...roomy, SERVICE_AUTH_TOKEN_ISSUER: 'another' });
    const headers = await token(foreign, (await actor(foreign, await root(foreign), ['*'])).username);
    for (const url of ['/admin/administrators', '/admin/sessions', '/admin/roles', '/admin/profile']) {
      expect((await app.inject({ url, headers })).json()).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    }
  });
});
