import { createMemoryStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import authTokens, { isGranted, isPermissionCode, isPermissionGrant, type Principal } from '../src/index.js';
import { bearer, closeApps, createTestApp, issuer, openApp, signingKey } from './test-app.js';

afterEach(closeApps);

const clear = 'api:admin:auth:clearLoginLimit';

describe('grants', () => {
  it('TOK-8 a grant may end in a wildcard at the border of a segment, and nowhere else', () => {
    const covers = ['*', 'api:*', 'api:admin:*', 'api:admin:auth:*', clear];
    expect(covers.map((grant) => isGranted([grant], clear))).toEqual(covers.map(() => true));
    const others = [
      '',
      ':*',
      '**',
      '*:clearLoginLimit',
      'api:*:clearLoginLimit',
      'api:adm*',
      'api:admin*',
      'api:admin:auth:clear*',
      'api:admin:auth',
      'api:admin:auth:clearLoginLimit:*',
      'api:app:*',
      'API:*',
      'api:admin:auth:clearLoginLimit ',
      'api:admin:*:',
      'api:admin:*\n',
    ];
    expect(others.filter((grant) => isGranted([grant], clear))).toEqual([]);
    expect(isGranted(['api:admin:*'], 'api:admin')).toBe(false);
    expect(isGranted(['api:admin:*'], 'api:administrators:list')).toBe(false);
    expect(isGranted([], clear)).toBe(false);
    expect(isGranted(['*'], 'api:*')).toBe(false);
  });

  it('TOK-8 tells codes and grants from other texts', () => {
    expect(['a', 'a:b', 'A-b_c.d:0', clear].every((code) => isPermissionCode(code) && isPermissionGrant(code))).toBe(
      true,
    );
    expect(['*', 'a:*', 'a:b:*'].map((grant) => [isPermissionCode(grant), isPermissionGrant(grant)])).toEqual([
      [false, true],
      [false, true],
      [false, true],
    ]);
    for (const wrong of [
      '',
      ':',
      'a:',
      ':a',
      'a::b',
      'a b',
      'a:*:b',
      '*a',
      'a*',
      'é',
      'x'.repeat(201),
      7,
      null,
      ['a'],
    ]) {
      expect([wrong, isPermissionCode(wrong), isPermissionGrant(wrong)]).toEqual([wrong, false, false]);
    }
  });

  it('TOK-8 a wildcard covers exactly the codes below it', () => {
    const segment = fc.stringMatching(/^[a-z]{1,2}$/);
    const code = fc.array(segment, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(code, code, (granted, asked) => {
        const isBelow = asked.length > granted.length && granted.every((part, index) => asked[index] === part);
        expect(isGranted([`${granted.join(':')}:*`], asked.join(':'))).toBe(isBelow);
        expect(isGranted([granted.join(':')], asked.join(':'))).toBe(granted.join(':') === asked.join(':'));
      }),
    );
  });
});

describe('permissions of routes', () => {
  const permissions = [clear, 'api:admin:users:read'];

  async function withGrants(grants: { current: readonly string[] }) {
    const asked: Principal[] = [];
    const loadPermissions = async (principal: Principal) => {
      asked.push(principal);
      return grants.current;
    };
    return { asked, ...(await createTestApp({ permissions, loadPermissions })) };
  }

  it('TOK-6 TOK-8 a change of permissions takes effect on the next request, in both directions', async () => {
    const grants = { current: [] as readonly string[] };
    const { asked, code, signIn } = await withGrants(grants);
    const token = await signIn();
    expect(await code('/clear', token)).toBe('403 PERMISSION_DENIED');
    grants.current = ['api:admin:auth:*'];
    expect(await code('/clear', token)).toBe('200');
    grants.current = ['api:admin:users:*'];
    expect(await code('/clear', token)).toBe('403 PERMISSION_DENIED');
    expect(asked).toEqual(Array(3).fill(expect.objectContaining({ subject: 'u-1', audience: 'admin' })));
  });

  it('TOK-6 a token contains no permissions', async () => {
    const { signIn } = await withGrants({ current: ['*'] });
    const claims = JSON.parse(Buffer.from((await signIn()).split('.')[1] ?? '', 'base64url').toString());
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub']);
  });

  it('TOK-8 the audience is checked before permissions, which are loaded only for routes that need one', async () => {
    const { asked, code, signIn } = await withGrants({ current: ['*'] });
    expect(await code('/clear', await signIn('u-1', 'app'))).toBe('403 PERMISSION_DENIED');
    expect(await code('/clear')).toBe('401 TOKEN_MISSING');
    expect(await code('/admin', await signIn())).toBe('200');
    expect(asked).toEqual([]);
  });

  it('TOK-8 a route needs all permissions of its list, and a handler checks more without another load', async () => {
    const grants = { current: [clear] as readonly string[] };
    let loads = 0;
    const loadPermissions = () => {
      loads += 1;
      return grants.current;
    };
    const app = openApp();
    await app.register(authTokens, { store: createMemoryStore(), issuer, signingKey, permissions, loadPermissions });
    app.get('/both', { config: { access: 'admin', permission: permissions } }, async () => 'both');
    app.get('/one', { config: { access: 'admin', permission: [clear] } }, async (request) => ({
      read: await request.hasPermission('api:admin:users:read'),
      undeclared: await request.hasPermission('api:other').catch((error: unknown) => error instanceof TypeError),
    }));
    app.get('/open', { config: { access: 'public' } }, async (request) => ({
      clear: await request.hasPermission(clear),
    }));
    const headers = bearer((await app.authTokens.issue({ subject: 'u-1', audience: 'admin' })).token) ?? {};
    const get = (url: string) => app.inject({ url, headers });

    expect((await get('/both')).statusCode).toBe(403);
    expect((await get('/one')).json()).toEqual({ read: false, undeclared: true });
    expect(loads).toBe(2);
    grants.current = ['api:admin:*'];
    expect((await get('/both')).statusCode).toBe(200);
    expect((await get('/one')).json()).toEqual({ read: true, undeclared: true });
    expect(loads).toBe(4);
    expect((await get('/open')).json()).toEqual({ clear: false });
    expect(loads).toBe(4);
  });

  it('TOK-11 permissions that can’t be loaded are 503, and let nobody through', async () => {
    for (const loadPermissions of [
      () => Promise.reject(new Error('database away')),
      () => {
        throw new Error('database away');
      },
      () => null as never,
    ]) {
      const { app, code, signIn } = await createTestApp({ permissions, loadPermissions });
      const token = await signIn();
      expect(await code('/clear', token)).toBe('503 PERMISSIONS_UNAVAILABLE');
      const reply = await app.inject({ url: '/clear', headers: bearer(token) ?? {} });
      expect(reply.body).not.toContain('database');
    }
  });
});

describe('grants that are loaded', () => {
  it.each([
    ['a text', 'api:*'],
    ['an object', { 'api:*': true }],
    ['nothing', undefined],
  ])('TOK-8 are a list: %s grants nothing, and the answer is 503', async (_what, loaded) => {
    const permissions = [clear];
    const { signIn, code } = await createTestApp({ permissions, loadPermissions: () => loaded as never });
    expect(await code('/clear', await signIn())).toBe('503 PERMISSIONS_UNAVAILABLE');
  });
});
