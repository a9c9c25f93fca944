import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { administrators, appUsers, payments, storedFiles } from '../../src/storage/schema.js';
import { type Actor, roomy, root } from '../support/accounts.js';
import { openTestBench, type TestBench } from '../support/test-app.js';

/** LIKE would take the last ones for patterns. */
const NAMES = [
  'Report A',
  'report b',
  'REPORT C',
  'Reporter',
  '100% cotton',
  '100 percent',
  'a_b',
  'acb',
  'back\\slash',
];

const MOBILE = '+8613912345678';

describe('lists that operators search', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
    const { orm } = bench.database;
    const createdBy = randomUUID();
    const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index));
    await orm.insert(administrators).values(
      NAMES.map((name) => ({
        id: randomUUID(),
        username: `u:${name.toLowerCase()}`,
        displayName: name,
        passwordHash: '',
      })),
    );
    await orm
      .insert(payments)
      .values(NAMES.map((payee, index) => ({ id: uuidv7(), payee, amount: '1.00', createdBy, createdAt: day(index) })));
    const file = {
      state: 'stored',
      extension: 'txt',
      mediaType: 'text/plain',
      size: 1,
      sha256: '',
      createdBy,
    } as const;
    await orm.insert(storedFiles).values(
      NAMES.map((displayName) => {
        const id = uuidv7();
        return { ...file, id, storageKey: id, displayName, publicPreview: false };
      }),
    );
    await orm.insert(appUsers).values([MOBILE, '+8613912345679'].map((mobile) => ({ id: uuidv7(), mobile })));
  });
  afterAll(() => bench.close());

  const list = async (url: string) => (await admin.call('GET', url)).json();

  const LISTS = [
    { path: '/admin/administrators', filter: 'name', shown: 'displayName' },
    { path: '/admin/storage/files', filter: 'name', shown: 'fileName' },
    { path: '/admin/payments', filter: 'payee', shown: 'payee' },
  ];

  it.each(LISTS)('API-4 $path is searched by the beginning of the $filter', async ({ path, filter, shown }) => {
    const found = async (start: string) => {
      const { data, page } = await list(`${path}?${filter}=${encodeURIComponent(start)}`);
      expect(page).toEqual({ number: 1, size: 20, total: data.length, next: null });
      return data.map((each: Record<string, string>) => each[shown]).sort();
    };
    expect(await found('report')).toEqual(['REPORT C', 'Report A', 'Reporter', 'report b']);
    expect(await found('REPORT ')).toEqual(['REPORT C', 'Report A', 'report b']);
    expect(await found('100%')).toEqual(['100% cotton']);
    expect(await found('A_B')).toEqual(['a_b']);
    expect(await found('back\\')).toEqual(['back\\slash']);
    for (const none of ['%', '_', 'eport', '\\', "'"]) expect(await found(none)).toEqual([]);
  });

  it('API-4 administrators are found by user name and by display name', async () => {
    expect((await list('/admin/administrators?name=u:rep')).data).toHaveLength(4);
    expect((await list('/admin/administrators?name=U:A_')).data).toMatchObject([{ username: 'u:a_b' }]);
    expect((await list('/admin/administrators?name=%20')).data).toEqual([]);
  });

  it('API-4 app users are found by their whole number, in any of its spellings', async () => {
    const { data } = await list('/admin/app-users?mobile=139%201234-5678');
    expect(data).toMatchObject([{ mobile: '+8613****78' }]);
    expect((await list('/admin/app-users?mobile=1391234567')).code).toBe('MOBILE_INVALID');
  });

  it('API-4 payments are found by payee and time', async () => {
    const payees = async (query: string) =>
      (await list(`/admin/payments?${query}`)).data.map(({ payee }: { payee: string }) => payee);
    expect(await payees('from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00Z')).toEqual(['REPORT C', 'report b']);
    expect(await payees(`payee=report&from=${Date.UTC(2026, 0, 3)}`)).toEqual(['Reporter', 'REPORT C']);
    expect(await payees('from=8640000000000000')).toEqual([]);
    expect(await payees('to=0')).toEqual([]);
  });

  it.each([...LISTS, { path: '/admin/app-users' }])(
    'API-4 $path goes on by cursor while items are added',
    async ({ path }) => {
      const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
      const all = await list(`${path}?size=200`);
      const first = await list(`${path}?size=1`);
      expect(first.page).toEqual({ number: 1, size: 1, total: all.data.length, next: expect.any(String) });
      const id = uuidv7();
      const { orm } = bench.database;
      // Before what was read: the newest item, and the first name.
      await orm.insert(administrators).values({ id, username: `0${id}`, displayName: '', passwordHash: '' });
      await orm.insert(appUsers).values({ id, mobile: id });
      await orm.execute(sql`insert into payments select ${id}, payee, amount, created_by, now() from payments limit 1`);
      await orm.execute(sql`
      insert into stored_files select (jsonb_populate_record(one, ${JSON.stringify({ id, storage_key: id })}::jsonb)).*
      from stored_files one limit 1
    `);
      const read = ids(first);
      let { next } = first.page;
      while (next !== null) {
        const page = await list(`${path}?size=3&after=${next}`);
        expect(Object.keys(page.page).sort()).toEqual(['next', 'size']);
        read.push(...ids(page));
        next = page.page.next;
      }
      expect(read).toEqual(ids(all));
    },
  );

  it.each([...LISTS, { path: '/admin/app-users' }])(
    'API-4 $path refuses a cursor that no page had',
    async ({ path }) => {
      for (const after of ['?', '1', '%00']) {
        const response = await admin.call('GET', `${path}?after=${after}`);
        expect([response.statusCode, response.json().errors]).toMatchObject([400, [{ pointer: '/after' }]]);
      }
    },
  );

  it('API-4 AUD-11 every time that the format allows is read: the year 0, zones of hours, blanks, leap seconds', async () => {
    const times = ['0000-01-01T00:00:00Z', '2026-01-03T00:00:00+00', '2026-01-03 00:00:00-00', '2016-12-31t23:59:60z'];
    for (const time of times) {
      const moment = encodeURIComponent(time);
      for (const query of [`from=${moment}`, `to=${moment}`]) {
        expect([query, (await admin.call('GET', `/admin/payments?${query}`)).statusCode]).toEqual([query, 200]);
        expect([query, (await admin.call('GET', `/admin/audit-records?${query}`)).statusCode]).toEqual([query, 200]);
      }
    }
    const from = async (time: string) => (await list(`/admin/payments?from=${encodeURIComponent(time)}`)).page.total;
    expect(await from('2026-01-03T00:00:00+00')).toBe(await from('2026-01-03T00:00:00Z'));
    expect(await from('0000-01-01T00:00:00Z')).toBe((await list('/admin/payments')).page.total);
  });
});
