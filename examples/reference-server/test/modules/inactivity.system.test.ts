import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { runUnlockCommand } from '../../src/commands/unlock-command.js';
import { inactivityParameters } from '../../src/modules/inactivity/parameters.js';
import { rowsOf } from '../../src/storage/schema-target.js';
import { type Actor, actor, PASSWORD, roomy, root } from '../support/accounts.js';
import { appSignIn, codeFor, newAppUser } from '../support/app-accounts.js';
import { setParameter } from '../support/system-parameters.js';
import { openTestBench, signIn, type TestBench } from '../support/test-app.js';

describe('accounts that nobody has used for long', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
  });
  afterAll(() => bench.close());

  const rows = <Row extends object>(statement: ReturnType<typeof sql>) => rowsOf<Row>(bench.database.orm, statement);
  const signedInAgo = (id: string, days: number) =>
    rows(
      sql`update administrators set last_signed_in_at = now() - make_interval(days => ${days}::int) where id = ${id}`,
    );
  const ruleSince = (days: number) =>
    rows(sql`update system_parameters set updated_at = now() - make_interval(days => ${days}::int)
      where key like '%.auth.inactive-days'`);
  const statusOf = async ({ username }: Actor) =>
    (await signIn(app, { username, password: PASSWORD, terminal: 'web' })).statusCode;
  const lastOf = async (id: string) =>
    (
      await rows<{ age: string }>(sql`
      select extract(day from now() - last_signed_in_at)::text as age from administrators where id = ${id}`)
    )[0]!.age;

  it('PWD-7 may sign in while no rule is set, and nothing is written', async () => {
    const person = await actor(app, admin, []);
    await signedInAgo(person.id, 400);
    expect(await statusOf(person)).toBe(200);
    expect(await lastOf(person.id)).toBe('400');
  });

  it('PWD-7 are refused as if disabled after so many days, by the clock of the database, until they are enabled', async () => {
    await setParameter(admin, 'admin.auth.inactive-days', 90);
    await ruleSince(200);
    const person = await actor(app, admin, []);
    await signedInAgo(person.id, 89);
    expect(await statusOf(person)).toBe(200);
    // The sign-in has been noted.
    expect(await lastOf(person.id)).toBe('0');
    await signedInAgo(person.id, 91);
    const inactive = async () =>
      (await admin.call('GET', `/admin/administrators?name=${person.username}`)).json().data[0].inactive;
    expect(await inactive()).toBe(true);
    const refused = await signIn(app, { username: person.username, password: PASSWORD, terminal: 'web' });
    expect([refused.statusCode, refused.json().code]).toEqual([401, 'LOGIN_FAILED']);
    const enabled = await admin.call('PUT', `/admin/administrators/${person.id}`, { disabled: false });
    expect([enabled.statusCode, enabled.json().data.inactive, await inactive()]).toEqual([200, false, false]);
    expect(await statusOf(person)).toBe(200);
  });

  it('PWD-7 are marked in the list, and only while a rule is set', async () => {
    const person = await actor(app, admin, []);
    await signedInAgo(person.id, 91);
    const inactive = async () => {
      const page = await admin.call('GET', `/admin/administrators?name=${person.username}`);
      return page.json().data.map((each: { inactive: boolean }) => each.inactive);
    };
    expect(await inactive()).toEqual([true]);
    await setParameter(admin, 'admin.auth.inactive-days', 0);
    expect(await inactive()).toEqual([false]);
    await setParameter(admin, 'admin.auth.inactive-days', 90);
    await ruleSince(200);
  });

  it('PWD-7 are refused from the last change of the rule at the earliest', async () => {
    const person = await actor(app, admin, []);
    await signedInAgo(person.id, 400);
    await ruleSince(1);
    expect(await statusOf(person)).toBe(200);
    await signedInAgo(person.id, 400);
    await ruleSince(91);
    expect(await statusOf(person)).toBe(401);
  });

  it('PWD-7 a rule of one day, or one that cannot be read, refuses nobody who signs in every day', async () => {
    const person = await actor(app, admin, []);
    const hoursAgo = (hours: number) =>
      rows(sql`update administrators set last_signed_in_at = now() - make_interval(hours => ${hours}::int)
        where id = ${person.id}`);
    const store = async (value: string, inForce: number) => {
      await rows(sql`update system_parameters set value = ${value} where key = 'admin.auth.inactive-days'`);
      const read = async () => (await app.systemParameters.read(inactivityParameters)).admin;
      await expect.poll(read, { timeout: 20_000 }).toBe(inForce);
      await ruleSince(200);
    };
    for (const stored of ['1', 'often']) {
      await store(stored, 1);
      await hoursAgo(20);
      expect(await statusOf(person)).toBe(200);
      // The sign-in has been noted, so the next day begins now.
      expect(
        await rows(sql`select from administrators where id = ${person.id}
        and last_signed_in_at > now() - interval '1 hour'`),
      ).toHaveLength(1);
      await hoursAgo(25);
      expect(await statusOf(person)).toBe(401);
      await store('90', 90);
    }
  });

  it('PWD-7 USR-1 the last account with every permission is one that can sign in', async () => {
    const second = await actor(app, admin, ['*']);
    await ruleSince(200);
    const others = sql`update administrators set disabled = true where username not in ('admin', ${second.username})`;
    await rows(others);
    await signedInAgo(second.id, 91);
    const giveUp = () => admin.call('PUT', `/admin/administrators/${admin.id}`, { roleIds: [] });
    expect((await giveUp()).json().code).toBe('LAST_FULL_ADMINISTRATOR');
    await signedInAgo(second.id, 0);
    expect((await giveUp()).statusCode).toBe(200);
    await rows(sql`insert into administrator_roles (administrator_id, role_id) values (${admin.id}, ${admin.roleId})`);
  });

  it('PWD-7 a sign-in is noted once an hour, with a record', async () => {
    const person = await actor(app, admin, []);
    await signedInAgo(person.id, 2);
    for (let n = 0; n < 3; n += 1) expect(await statusOf(person)).toBe(200);
    const noted = await rows(sql`
      select actor from audit_records where action = 'account.note-sign-in' and target = ${person.username}`);
    expect(noted).toEqual([{ actor: `admin:${person.id}` }]);
  });

  it('PWD-7 the command unlock lets them in again', async () => {
    const person = await actor(app, admin, []);
    await ruleSince(200);
    await signedInAgo(person.id, 91);
    expect(await statusOf(person)).toBe(401);
    const status = await runUnlockCommand({
      argv: ['--username', person.username.toUpperCase()],
      env: {
        SERVICE_PROFILE: 'development',
        SERVICE_DATA_DIR: bench.folder,
        SERVICE_DATABASE_URL: bench.config()['database-url']!,
      },
      now: Date.now,
      openResources: async (config) => bench.resources(config),
      write: () => {},
      writeError: () => {},
    });
    expect(status).toBe(0);
    expect(await statusOf(person)).toBe(200);
    const renewed = await rows(sql`
      select actor from audit_records where action = 'account.renew' and target = ${person.username}`);
    expect(renewed).toEqual([{ actor: 'command:unlock' }]);
  });

  it('PWD-7 holds for app users', async () => {
    await setParameter(admin, 'app.auth.inactive-days', 30);
    await ruleSince(200);
    const user = await newAppUser(app);
    await rows(sql`update app_users set last_signed_in_at = now() - interval '31 days' where mobile = ${user.mobile}`);
    const smsCode = await codeFor(app, user.mobile, { remoteAddress: '198.51.100.251' });
    expect((await appSignIn(app, { mobile: user.mobile, smsCode })).statusCode).toBe(401);
    const [found] = await rows<{ id: string }>(sql`select id from app_users where mobile = ${user.mobile}`);
    const inactive = async () => {
      const url = `/admin/app-users?mobile=${encodeURIComponent(user.mobile)}`;
      return (await admin.call('GET', url)).json().data[0].inactive;
    };
    expect(await inactive()).toBe(true);
    const enabled = await admin.call('PUT', `/admin/app-users/${found!.id}`, { disabled: false });
    expect([enabled.json().data.inactive, await inactive()]).toEqual([false, false]);
    const again = await codeFor(app, user.mobile, { remoteAddress: '198.51.100.252' });
    expect((await appSignIn(app, { mobile: user.mobile, smsCode: again })).statusCode).toBe(200);
  });
});
