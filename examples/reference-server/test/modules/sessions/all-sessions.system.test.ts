import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { type Actor, actor, roomy, root, token } from '../../support/accounts.js';
import { newAppUser } from '../../support/app-accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

describe('the sessions of all users', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let guard: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
    guard = await actor(app, admin, ['api:admin:sessions:list', 'api:admin:sessions:end', 'api:admin:app-users:list']);
  });
  afterAll(() => bench.close());

  const search = async (query: string, who = guard) =>
    (await who.call('GET', `/admin/sessions?scope=all${query}`)).json();

  it('API-4 are found page by page, with the names of their users and the current one marked', async () => {
    const users = [await actor(app, admin, []), await actor(app, admin, [])];
    const { mobile } = await newAppUser(app);
    const found = [];
    let after = '';
    do {
      const { data, page } = await search(`&size=2${after}`);
      expect(data.length).toBeLessThanOrEqual(2);
      expect(Object.keys(page).sort()).toEqual(['next', 'size']);
      found.push(...data);
      after = page.next === null ? '' : `&after=${page.next}`;
    } while (after !== '');
    const times = found.map(({ issuedAt }) => issuedAt);
    expect(times).toEqual([...times].sort((one, other) => other - one));
    expect(found.filter(({ current }) => current)).toMatchObject([{ userName: guard.username, audience: 'admin' }]);
    for (const { username, id } of users)
      expect(found).toContainEqual(expect.objectContaining({ subject: id, userName: username }));
    const ofApp = found.filter(({ audience }) => audience === 'app');
    expect(ofApp).toMatchObject([{ userName: expect.stringMatching(/\*{4}/), terminal: 'app' }]);
    expect(JSON.stringify(found)).not.toContain(mobile);
  });

  it('API-4 are filtered by user, audience and address', async () => {
    const user = await actor(app, admin, []);
    await token(app, user.username);
    const appUser = await newAppUser(app);
    const subjects = async (query: string) =>
      (await search(query)).data.map(({ subject }: { subject: string }) => subject);
    expect(await subjects(`&user=${user.id}`)).toEqual([user.id, user.id]);
    expect(await subjects(`&user=${user.username.toUpperCase()}&size=1`)).toEqual([user.id]);
    expect(await subjects(`&user=${user.username}&audience=app`)).toEqual([]);
    expect((await search(`&user=${encodeURIComponent(appUser.mobile)}`)).data).toMatchObject([{ audience: 'app' }]);
    expect(await subjects('&user=nobody')).toEqual([]);
    expect(new Set((await search('&audience=app')).data.map((each: { audience: string }) => each.audience))).toEqual(
      new Set(['app']),
    );
    expect(await subjects('&address=203.0.113.250')).toEqual([]);
    expect(await subjects(`&address=::ffff:127.0.0.1&user=${user.id}`)).toEqual([user.id, user.id]);
    expect((await search('&address=127.0.0.1&audience=admin')).data.length).toBeGreaterThan(2);
  });

  it('API-4 TOK-7 need the permission, and one can be ended', async () => {
    const user = await actor(app, admin, []);
    expect((await search('', user)).code).toBe('PERMISSION_DENIED');
    const [{ id }] = (await search(`&user=${user.username}`)).data;
    expect((await guard.call('DELETE', `/admin/sessions/${id}`)).statusCode).toBe(204);
    expect((await search(`&user=${user.username}`)).data).toEqual([]);
    expect((await search('&size=200')).data.map((each: { id: string }) => each.id)).not.toContain(id);
  });

  it('API-4 masked numbers can not be found out by trying: to search by number is to find app users', async () => {
    const { mobile } = await newAppUser(app);
    const limited = await actor(app, admin, ['api:admin:sessions:list']);
    const answers = [mobile, '+8613900000001'].map((number) => search(`&user=${encodeURIComponent(number)}`, limited));
    for (const { code, data } of await Promise.all(answers))
      expect([code, data]).toEqual(['PERMISSION_DENIED', undefined]);
    const number = encodeURIComponent(mobile);
    expect((await search(`&audience=app&user=${number}`, limited)).code).toBe('PERMISSION_DENIED');
    expect((await search(`&audience=admin&user=${number}`, limited)).data).toEqual([]);
    expect((await search(`&user=${limited.username}`, limited)).data).toMatchObject([{ subject: limited.id }]);
  });

  it('API-4 a query that would be misread is refused with the place', async () => {
    const refused = async (query: string) => {
      const response = await guard.call('GET', `/admin/sessions?${query}`);
      return [response.statusCode, response.json().errors?.[0].pointer];
    };
    expect(await refused('scope=all&after=x')).toEqual([400, '/after']);
    expect(await refused(`scope=all&subject=${randomUUID()}`)).toEqual([400, '/subject']);
    for (const filter of ['user=x', 'address=127.0.0.1', 'after=']) {
      expect(await refused(filter)).toEqual([400, `/${filter.split('=')[0]}`]);
    }
    expect((await refused('scope=all&address=x'))[0]).toBe(400);
    const chinese = { ...guard.headers, 'accept-language': 'zh-CN' };
    for (const query of ['scope=all&after=x', `scope=all&subject=${randomUUID()}`, 'user=x']) {
      const { errors } = (await app.inject({ url: `/admin/sessions?${query}`, headers: chinese })).json();
      expect(errors[0].detail).toMatch(/\p{Script=Han}/u);
    }
  });
});
