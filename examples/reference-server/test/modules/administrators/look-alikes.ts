import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { keepMissingSkeletons } from '../../../src/modules/administrators/look-alikes.js';
import { rowsOf } from '../../../src/storage/schema-target.js';
import { type Actor, PASSWORD, roomy, root, token } from '../../support/accounts.js';
import { addAdministrator } from '../../support/granted-administrator.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { writingRequests } from '../../support/writing-requests.js';

/** Names that look alike, in one of the databases. */
export function describeLookAlikes(storage: 'PostgreSQL' | 'embedded'): void {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench(storage);
    const limits = {
      SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '100000',
      SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '100000',
    };
    app = await bench.app({ ...roomy, ...limits });
    admin = await root(app);
  });
  beforeEach(() => bench.database.orm.execute(sql`delete from administrators where username <> 'admin'`));
  afterAll(() => bench.close());

  async function registering(username: string) {
    const request = await writingRequests['POST /admin/auth/register']!({ app, bench, admin });
    return { ...request, payload: { ...(request.payload as object), username } };
  }
  const register = async (username: string) => app.inject(await registering(username));
  const create = (username: string, more: object = {}) =>
    admin.call('POST', '/admin/administrators', { username, password: PASSWORD, displayName: 'Liu', ...more });
  const kept = () =>
    rowsOf<{ username: string; confirmed: boolean }>(
      bench.database.orm,
      sql`select username, is_confirmed as confirmed from administrators
        join name_skeletons on administrator_id = id where username <> 'admin' order by is_confirmed, created_at`,
    );

  it('USR-6 a stranger does not register a name that looks like another one: it is taken', async () => {
    for (const username of ['\u0430dmin', 'adrnin', 'Adm\u0131n']) {
      expect((await register(username)).json()).toMatchObject({ status: 409, code: 'USERNAME_TAKEN' });
    }
    expect(await kept()).toEqual([]);
    expect((await register('zoe')).statusCode).toBe(201);
  });

  it('REL-4 USR-6 one of six parallel registrations of names that look alike creates an account', async () => {
    const names = ['liu1', 'liul'];
    const requests = await Promise.all(Array.from({ length: 6 }, (_, i) => registering(names[i % 2]!)));
    const answers = await Promise.all(requests.map((request) => app.inject(request)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.json().code))).toEqual(new Set([undefined, 'USERNAME_TAKEN']));
    expect(await kept()).toHaveLength(1);
  });

  it('USR-6 an administrator creates it with a confirmation, which is recorded; both sign in', async () => {
    expect((await create('liul')).statusCode).toBe(201);
    const refused = await create('liu1');
    expect(refused.json()).toMatchObject({
      status: 409,
      code: 'USERNAME_LOOKS_ALIKE',
      errors: [{ pointer: '/username', detail: 'looks like liul' }],
    });
    expect((await create('liul', { confirm: true })).json().code).toBe('USERNAME_TAKEN');
    expect((await create('liu1', { confirm: true })).statusCode).toBe(201);
    expect(await kept()).toEqual([
      { username: 'liul', confirmed: false },
      { username: 'liu1', confirmed: true },
    ]);
    await expect(token(app, 'liul')).resolves.toBeDefined();
    await expect(token(app, 'liu1')).resolves.toBeDefined();
    const { data } = (await admin.call('GET', '/admin/audit-records?action=administrator.create&size=1')).json();
    expect(data[0]).toMatchObject({ outcome: 'success', parameters: { detail: { confirmed: 'looks like liul' } } });
  });

  it('USR-6 what was confirmed keeps strangers out, too, when the first account is deleted', async () => {
    const { id } = (await create('liul')).json().data;
    await create('liu1', { confirm: true });
    expect((await admin.call('DELETE', `/admin/administrators/${id}`)).statusCode).toBe(204);
    expect((await register('1iu1')).json().code).toBe('USERNAME_TAKEN');
    expect((await create('1iu1')).json().code).toBe('USERNAME_LOOKS_ALIKE');
  });

  it('USR-6 a confirmation where nothing looks alike is nothing', async () => {
    expect((await create('ada', { confirm: true })).statusCode).toBe(201);
    expect(await kept()).toEqual([{ username: 'ada', confirmed: false }]);
  });

  it('USR-6 accounts of earlier releases get their skeletons at a start, on two nodes at once, and stay', async () => {
    for (const username of ['liul', 'liu1', `other-${randomUUID()}`, 'grace']) {
      await addAdministrator(bench.database, { username, passwordHash: 'x' });
    }
    await bench.database.orm.execute(sql`insert into name_skeletons (administrator_id, skeleton)
      select id, '1.0.0:grace' from administrators where username = 'grace'`);
    const start = () => keepMissingSkeletons(bench.database, bench.changes);
    await Promise.all(storage === 'embedded' ? [start()] : [start(), start()]);
    const rows = await kept();
    expect(rows.map(({ confirmed }) => confirmed)).toEqual([false, false, false, true]);
    const isOld = sql`select count(*)::int as count from name_skeletons where skeleton like '1.0.0:%'`;
    expect(await rowsOf(bench.database.orm, isOld)).toEqual([{ count: 0 }]);
    expect((await register('\u0261race')).json().code).toBe('USERNAME_TAKEN');
  });
}
