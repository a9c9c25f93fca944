import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, catalog } from '../../../src/app.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

interface Text {
  readonly en: string;
  readonly 'zh-CN': string;
}

interface Group {
  readonly name: string;
  readonly title: Text;
  readonly permissions: readonly { readonly code: string; readonly text: Text }[];
}

describe('the catalogue of permissions', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  const read = async (who: Actor, path: string) => (await who.call('GET', path)).json().data;

  it('API-4 has every permission that a route requires once, in a group, with texts in both languages', async () => {
    const groups: Group[] = await read(await actor(app, admin, []), '/admin/permissions');
    const listed = groups.flatMap(({ permissions }) => permissions);
    expect(new Set(listed.map(({ code }) => code))).toEqual(new Set(catalog.permissions));
    expect(listed).toHaveLength(catalog.permissions.length);
    for (const { en, 'zh-CN': chinese } of [...groups.map(({ title }) => title), ...listed.map(({ text }) => text)]) {
      expect(en).toMatch(/^[A-Z][ -~]+$/);
      expect(chinese).toMatch(/^(?: ?App 用户|[\p{Script=Han}、，])+$/u);
    }
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
  });

  it('API-4 the own profile has the permissions that are held now, and the grants', async () => {
    const grants = ['api:admin:payments:*', 'api:admin:roles:list'];
    const self = await actor(app, admin, grants);
    const held = catalog.permissions.filter((code) => code.startsWith('api:admin:payments:'));
    const shown = { id: self.id, permissions: ['api:admin:roles:list', ...held], grants };
    expect(await read(self, '/admin/profile')).toMatchObject(shown);
    const changed = await self.call('PUT', '/admin/profile', { displayName: 'New' });
    expect(changed.json().data).toMatchObject({ ...shown, displayName: 'New' });
    await admin.call('PUT', `/admin/roles/${self.roleId}`, { permissions: ['api:admin:roles:list'] });
    expect(await read(self, '/admin/profile')).toMatchObject({ permissions: ['api:admin:roles:list'] });
    expect(await read(admin, '/admin/profile')).toMatchObject({ permissions: catalog.permissions, grants: ['*'] });
  });
});
