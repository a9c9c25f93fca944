import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, catalog } from '../../../src/app.js';
import { type Actor, actor, OTHER_PASSWORD, PASSWORD, roomy, root, token } from '../../support/accounts.js';
import { openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const ABSENT = randomUUID();

describe('administrators and roles', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
  });
  beforeEach(async () => {
    admin = await root(app);
  });
  afterAll(() => bench.close());

  const account = (more: object = {}) => ({
    username: `user-${randomUUID()}`,
    password: PASSWORD,
    displayName: 'Somebody',
    ...more,
  });
  const code = async (answer: ReturnType<Actor['call']>) => {
    const response = await answer;
    return response.body === '' ? response.statusCode : `${response.statusCode} ${response.json().code ?? ''}`.trim();
  };

  it('USR-1 HTTP-1 an administrator is created with 201, read, changed, listed and deleted with 204', async () => {
    const role = await admin.call('POST', '/admin/roles', {
      name: 'Readers',
      permissions: ['api:admin:administrators:read'],
    });
    const roleId = role.json().data.id;
    const created = await admin.call(
      'POST',
      '/admin/administrators',
      account({ username: ' ＺＯＥ ', roleIds: [roleId] }),
    );
    expect(created.statusCode).toBe(201);
    const { id } = created.json().data;
    const expected = {
      id: expect.any(String),
      username: 'zoe',
      displayName: 'Somebody',
      disabled: false,
      inactive: false,
      roleIds: [roleId],
      version: 1,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    };
    expect(created.json()).toEqual({ data: expected });
    expect((await admin.call('GET', `/admin/administrators/${id}`)).json()).toEqual({ data: expected });
    const changed = await admin.call('PUT', `/admin/administrators/${id.toUpperCase()}`, {
      displayName: 'Zoë',
      roleIds: [],
      version: 1,
    });
    expect(changed.json().data).toMatchObject({ displayName: 'Zoë', roleIds: [], version: 2, disabled: false });
    const list = (await admin.call('GET', '/admin/administrators?page=1&size=200')).json();
    expect(list.page).toEqual({ number: 1, size: 200, total: list.data.length, next: null });
    expect(list.data.map((each: { username: string }) => each.username)).toContain('zoe');
    expect(await code(admin.call('DELETE', `/admin/administrators/${id}`))).toBe(204);
    expect(await code(admin.call('GET', `/admin/administrators/${id}`))).toBe('404 NOT_FOUND');
    expect((await signIn(app, { username: 'zoe', password: PASSWORD, terminal: 'web' })).statusCode).toBe(401);
  });

  it('USR-1 a role is created with 201, read, changed, listed and deleted with 204', async () => {
    const content = { name: ' Auditors ', permissions: ['api:admin:sessions:list', 'api:admin:roles:*'] };
    const created = await admin.call('POST', '/admin/roles', content);
    expect(created.statusCode).toBe(201);
    const role = created.json().data;
    expect(role).toMatchObject({ name: 'Auditors', permissions: content.permissions, version: 1 });
    const changed = await admin.call('PUT', `/admin/roles/${role.id}`, { permissions: [], version: 1 });
    expect(changed.json().data).toMatchObject({ name: 'Auditors', permissions: [], version: 2 });
    expect((await admin.call('GET', `/admin/roles/${role.id}`)).json()).toEqual(changed.json());
    const list = (await admin.call('GET', '/admin/roles?size=1&page=2')).json();
    expect([list.data.length, list.page.number, list.page.size]).toEqual([1, 2, 1]);
    expect(await code(admin.call('DELETE', `/admin/roles/${role.id}`))).toBe(204);
    expect(await code(admin.call('DELETE', `/admin/roles/${role.id}`))).toBe('404 NOT_FOUND');
  });

  it('HTTP-1 a page has 1 to 200 items, 20 by default; anything else is 400', async () => {
    for (const path of ['/admin/administrators', '/admin/roles']) {
      expect((await admin.call('GET', path)).json().page).toMatchObject({ number: 1, size: 20 });
      for (const query of ['size=0', 'size=201', 'page=0', 'page=x', 'size=1.5', 'more=1']) {
        expect(await code(admin.call('GET', `${path}?${query}`))).toBe('400 VALIDATION_FAILED');
      }
    }
  });

  it('USR-1 every endpoint needs its own permission: without exactly that one it is 403', async () => {
    const target = await actor(app, admin, []);
    const endpoints = {
      'api:admin:administrators:list': ['GET', '/admin/administrators'],
      'api:admin:administrators:create': ['POST', '/admin/administrators', account()],
      'api:admin:administrators:read': ['GET', `/admin/administrators/${target.id}`],
      'api:admin:administrators:update': ['PUT', `/admin/administrators/${target.id}`, { displayName: 'New' }],
      'api:admin:administrators:reset-password': [
        'PUT',
        `/admin/administrators/${target.id}/password`,
        { password: OTHER_PASSWORD },
      ],
      'api:admin:roles:list': ['GET', '/admin/roles'],
      'api:admin:roles:create': ['POST', '/admin/roles', { name: 'Made by one code', permissions: [] }],
      'api:admin:roles:read': ['GET', `/admin/roles/${target.roleId}`],
      'api:admin:roles:update': ['PUT', `/admin/roles/${target.roleId}`, { permissions: [] }],
      'api:admin:administrators:delete': ['DELETE', `/admin/administrators/${target.id}`],
      'api:admin:roles:delete': ['DELETE', `/admin/roles/${target.roleId}`],
    } as const;
    for (const [permission, endpoint] of Object.entries(endpoints)) {
      const [method, url, payload] = endpoint;
      const others = await actor(
        app,
        admin,
        catalog.permissions.filter((each) => each !== permission),
      );
      expect(await code(others.call(method, url, payload))).toBe('403 PERMISSION_DENIED');
      const holder = await actor(app, admin, [permission]);
      expect((await holder.call(method, url, payload)).statusCode).toBeLessThan(300);
    }
  });

  it('USR-1 TOK-8 a role holds known codes and families; an unknown one is refused with its pointer', async () => {
    const good = ['*', 'api:*', 'api:admin:roles:*', 'api:admin:roles:list'];
    expect(await code(admin.call('POST', '/admin/roles', { name: 'Good', permissions: good }))).toBe('201');
    const bad = [
      'api:admin:roles:lst',
      'api:admin:role:*',
      'api:admin:roles*',
      '**',
      '',
      'api:*:list',
      'API:admin:*',
      'api:admin:roles:list ',
      'api:admin:roles:list:*',
      7,
    ];
    for (const grant of bad) {
      const refused = await admin.call('POST', '/admin/roles', {
        name: 'Bad',
        permissions: ['api:admin:roles:list', grant],
      });
      expect(refused.json()).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
        errors: [{ pointer: '/permissions/1' }],
      });
    }
  });

  it('USR-1 names are unique: 409 for a user name in any spelling, for a role name, and for a rename', async () => {
    const first = account();
    expect(await code(admin.call('POST', '/admin/administrators', first))).toBe('201');
    const spelling = { ...first, username: ` ${first.username.toUpperCase()}` };
    expect(await code(admin.call('POST', '/admin/administrators', spelling))).toBe('409 USERNAME_TAKEN');
    // A small h with a line below it has one code point, a capital one has two. To the login policy both are one name.
    const accented = account({ username: `\u1e96-${randomUUID()}` });
    const lookalike = { ...accented, username: accented.username.replace('\u1e96', 'H\u0331') };
    expect(await code(admin.call('POST', '/admin/administrators', accented))).toBe('201');
    expect(await code(admin.call('POST', '/admin/administrators', lookalike))).toBe('409 USERNAME_TAKEN');
    const role = { name: `Role ${randomUUID()}`, permissions: [] };
    expect(await code(admin.call('POST', '/admin/roles', role))).toBe('201');
    expect(await code(admin.call('POST', '/admin/roles', { ...role, name: ` ${role.name}` }))).toBe(
      '409 ROLE_NAME_TAKEN',
    );
    const { id } = (await admin.call('POST', '/admin/roles', { ...role, name: randomUUID() })).json().data;
    expect(await code(admin.call('PUT', `/admin/roles/${id}`, { name: role.name }))).toBe('409 ROLE_NAME_TAKEN');
  });

  it('USR-1 of ten parallel creations of one name exactly one succeeds, the others are 409', async () => {
    const content = account();
    const role = { name: `Raced ${randomUUID()}`, permissions: [] };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => code(admin.call('POST', '/admin/administrators', content))),
    );
    const roles = await Promise.all(Array.from({ length: 10 }, () => code(admin.call('POST', '/admin/roles', role))));
    expect(answers.sort()).toEqual(['201', ...Array(9).fill('409 USERNAME_TAKEN')]);
    expect(roles.sort()).toEqual(['201', ...Array(9).fill('409 ROLE_NAME_TAKEN')]);
  });

  it('USR-1 HTTP-4 invalid names, passwords, roles and properties are 400, and nothing is created', async () => {
    const unfit = [
      { username: '' },
      { username: '  ' },
      { username: 'a\u200bdmin' },
      { username: 'a\0' },
      { username: '\ud800' },
      { username: 'x'.repeat(65) },
      { password: '' },
      { password: 'x'.repeat(73) },
      { displayName: '' },
      { roleIds: ['x'] },
      { roleIds: `${ABSENT}` },
      { disabled: 'yes' },
      { passwordHash: 'x' },
      { id: ABSENT },
    ];
    for (const more of unfit) {
      expect(await code(admin.call('POST', '/admin/administrators', account(more)))).toBe('400 VALIDATION_FAILED');
    }
    expect(await code(admin.call('POST', '/admin/administrators', account({ roleIds: [ABSENT] })))).toBe(
      '400 ROLE_UNKNOWN',
    );
    for (const member of ['username', 'password', 'displayName']) {
      const { [member]: _left, ...rest } = account() as Record<string, unknown>;
      expect((await admin.call('POST', '/admin/administrators', rest)).json().errors[0].pointer).toBe(`/${member}`);
    }
    for (const id of [ABSENT, 'x', '%00', "'", `${ABSENT}x`]) {
      expect(await code(admin.call('GET', `/admin/administrators/${id}`))).toBe('404 NOT_FOUND');
      expect(await code(admin.call('DELETE', `/admin/roles/${id}`))).toBe('404 NOT_FOUND');
      expect(await code(admin.call('PUT', `/admin/administrators/${id}/password`, { password: OTHER_PASSWORD }))).toBe(
        '404 NOT_FOUND',
      );
    }
  });

  it('USR-1 a concurrent change is not overwritten: 409 for an old version', async () => {
    const target = await actor(app, admin, []);
    const update = (path: string, content: object) => code(admin.call('PUT', path, content));
    const paths = [
      [`/admin/administrators/${target.id}`, { displayName: 'One', version: 1 }],
      [`/admin/roles/${target.roleId}`, { permissions: [], version: 1 }],
    ] as const;
    for (const [path, content] of paths) {
      const answers = await Promise.all([update(path, content), update(path, content)]);
      expect(answers.sort()).toEqual(['200', '409 VERSION_CONFLICT']);
    }
  });

  it('USR-1 a role that is in use is not deleted: 409', async () => {
    const target = await actor(app, admin, ['api:admin:roles:list']);
    expect(await code(admin.call('DELETE', `/admin/roles/${target.roleId}`))).toBe('409 ROLE_IN_USE');
    expect(await code(target.call('GET', '/admin/roles'))).toBe('200');
  });

  it('USR-1 AT-21 no response contains a hash', async () => {
    const target = await actor(app, admin, []);
    const answers = await Promise.all([
      admin.call('GET', '/admin/administrators?size=200'),
      admin.call('GET', `/admin/administrators/${target.id}`),
      admin.call('PUT', `/admin/administrators/${target.id}`, { displayName: 'x' }),
      admin.call('POST', '/admin/administrators', account()),
    ]);
    // The list shows the roles, and one grants this.
    const shown = answers.map(({ body }) => body.replaceAll('"api:admin:administrators:reset-password"', ''));
    for (const body of shown) expect(body).not.toMatch(/\$2b\$|hash|password/i);
  });

  describe('privilege escalation', () => {
    const manager = [
      'api:admin:administrators:*',
      'api:admin:roles:create',
      'api:admin:roles:update',
      'api:admin:roles:delete',
    ];

    it('USR-1 an administrator cannot write a role that grants what they do not hold, by code, by family or by `*`', async () => {
      const clerk = await actor(app, admin, manager);
      const more = ['*', 'api:*', 'api:admin:*', 'api:admin:roles:*', 'api:admin:roles:list', 'api:admin:sessions:end'];
      for (const grant of more) {
        const grants = ['api:admin:roles:create', grant];
        expect(await code(clerk.call('POST', '/admin/roles', { name: randomUUID(), permissions: grants }))).toBe(
          '403 GRANT_NOT_HELD',
        );
        expect(await code(clerk.call('PUT', `/admin/roles/${clerk.roleId}`, { permissions: grants }))).toBe(
          '403 GRANT_NOT_HELD',
        );
      }
      const less = ['api:admin:administrators:*', 'api:admin:administrators:read', 'api:admin:roles:update'];
      expect(await code(clerk.call('POST', '/admin/roles', { name: randomUUID(), permissions: less }))).toBe('201');
    });

    it('USR-1 holding every code of a family does not allow granting the family', async () => {
      const codes = catalog.permissions.filter((each) => each.startsWith('api:admin:roles:'));
      const clerk = await actor(app, admin, codes);
      const family = { name: randomUUID(), permissions: ['api:admin:roles:*'] };
      expect(await code(clerk.call('POST', '/admin/roles', family))).toBe('403 GRANT_NOT_HELD');
    });

    it('USR-1 an administrator cannot change, rename or delete a role that grants more than they hold', async () => {
      const clerk = await actor(app, admin, manager);
      for (const change of [{ permissions: [] }, { name: 'Mine' }]) {
        expect(await code(clerk.call('PUT', `/admin/roles/${admin.roleId}`, change))).toBe('403 GRANT_NOT_HELD');
      }
      const unused = await admin.call('POST', '/admin/roles', { name: randomUUID(), permissions: ['*'] });
      expect(await code(clerk.call('DELETE', `/admin/roles/${unused.json().data.id}`))).toBe('403 GRANT_NOT_HELD');
    });

    it('USR-1 an administrator cannot give any account a role that grants more than they hold', async () => {
      const clerk = await actor(app, admin, manager);
      const friend = await actor(app, admin, []);
      const roleIds = [clerk.roleId, admin.roleId];
      for (const id of [clerk.id, friend.id]) {
        expect(await code(clerk.call('PUT', `/admin/administrators/${id}`, { roleIds }))).toBe('403 GRANT_NOT_HELD');
      }
      expect(await code(clerk.call('POST', '/admin/administrators', account({ roleIds })))).toBe('403 GRANT_NOT_HELD');
      expect(await code(clerk.call('PUT', `/admin/administrators/${friend.id}`, { roleIds: [clerk.roleId] }))).toBe(
        '200',
      );
    });

    it('USR-1 USR-2 an administrator cannot edit, disable, delete or reset an account that holds more than they do', async () => {
      const clerk = await actor(app, admin, manager);
      const superior = await actor(app, admin, ['*']);
      const path = `/admin/administrators/${superior.id}`;
      const attempts = [
        clerk.call('PUT', path, { displayName: 'Mine' }),
        clerk.call('PUT', path, { roleIds: [] }),
        clerk.call('PUT', path, { disabled: true }),
        clerk.call('PUT', `${path}/password`, { password: OTHER_PASSWORD }),
        clerk.call('DELETE', path),
      ];
      for (const attempt of attempts) expect(await code(attempt)).toBe('403 GRANT_NOT_HELD');
      // A refused attempt ends no session.
      expect(await code(superior.call('GET', '/admin/profile'))).toBe('200');
      await token(app, superior.username);
    });

    it('USR-1 the permissions of a disabled account count: its password cannot be reset to take it over', async () => {
      const clerk = await actor(app, admin, manager);
      const superior = await actor(app, admin, ['*']);
      const path = `/admin/administrators/${superior.id}`;
      expect(await code(admin.call('PUT', path, { disabled: true }))).toBe('200');
      expect(await code(clerk.call('PUT', `${path}/password`, { password: OTHER_PASSWORD }))).toBe(
        '403 GRANT_NOT_HELD',
      );
      expect(await code(clerk.call('PUT', path, { disabled: false }))).toBe('403 GRANT_NOT_HELD');
    });

    it('USR-1 administrators cannot disable, delete or reset themselves, whatever the spelling of the id', async () => {
      const self = await actor(app, admin, ['*']);
      for (const id of [self.id, self.id.toUpperCase()]) {
        const path = `/admin/administrators/${id}`;
        expect(await code(self.call('PUT', path, { disabled: true }))).toBe('409 OWN_ACCOUNT');
        expect(await code(self.call('DELETE', path))).toBe('409 OWN_ACCOUNT');
        expect(await code(self.call('PUT', `${path}/password`, { password: OTHER_PASSWORD }))).toBe('409 OWN_ACCOUNT');
      }
      expect(await code(self.call('GET', '/admin/profile'))).toBe('200');
    });
  });

  it("USR-1 the last holder of `*` cannot lose it, neither by the account's roles nor by the role itself", async () => {
    await bench.database.orm.execute(
      "delete from administrator_roles using roles, administrators where roles.id = role_id and administrators.id = administrator_id and '*' = any(permissions) and username <> 'admin'",
    );
    const own = `/admin/administrators/${admin.id}`;
    expect(await code(admin.call('PUT', own, { roleIds: [] }))).toBe('409 LAST_FULL_ADMINISTRATOR');
    expect(await code(admin.call('PUT', `/admin/roles/${admin.roleId}`, { permissions: ['api:*'] }))).toBe(
      '409 LAST_FULL_ADMINISTRATOR',
    );
    expect((await admin.call('GET', own)).json().data.roleIds).toEqual([admin.roleId]);
    // A disabled holder does not count.
    const second = await actor(app, admin, ['*']);
    await admin.call('PUT', `/admin/administrators/${second.id}`, { disabled: true });
    expect(await code(admin.call('PUT', own, { roleIds: [] }))).toBe('409 LAST_FULL_ADMINISTRATOR');
    await admin.call('PUT', `/admin/administrators/${second.id}`, { disabled: false });
    const headers = await token(app, second.username);
    expect(await code(admin.call('PUT', own, { roleIds: [] }))).toBe('200');
    const back = await app.inject({ method: 'PUT', url: own, headers, payload: { roleIds: [admin.roleId] } });
    expect(back.statusCode).toBe(200);
  });
});
