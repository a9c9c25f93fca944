import { randomBytes } from 'node:crypto';
import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { createActivity } from '../../../src/modules/activity/activity.js';
import { ACTIVITY_KINDS, type ActivityKind } from '../../../src/modules/activity/events.js';
import { root, token } from '../../support/accounts.js';
import { grantedAdministrator } from '../../support/granted-administrator.js';
import { sealed } from '../../support/sealed-request.js';
import { setParameter } from '../../support/system-parameters.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const MINUTE = 60_000;
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

describe('GET /admin/activity', () => {
  let bench: TestBench;
  let app: App;
  let headers: { authorization: string };
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({
      SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      SERVICE_RATE_LIMIT_REGISTRATION_MAX_REQUESTS: '1',
    });
    headers = await bearer(app);
  });
  afterAll(() => bench.close());

  async function countsOf(window?: string): Promise<Record<ActivityKind, number>> {
    const url = `/admin/activity${window === undefined ? '' : `?window=${window}`}`;
    const response = await app.inject({ url, headers });
    expect(response.statusCode).toBe(200);
    const { kinds } = response.json().data as { kinds: Record<ActivityKind, number[]> };
    return Object.fromEntries(ACTIVITY_KINDS.map((kind) => [kind, sum(kinds[kind])])) as Record<ActivityKind, number>;
  }

  /** What one act adds, in both windows. */
  async function added(act: () => Promise<unknown>): Promise<Partial<Record<ActivityKind, number>>> {
    const windows = ['hour', 'day'];
    const before = await Promise.all(windows.map(countsOf));
    await act();
    const after = await Promise.all(windows.map(countsOf));
    const [hour, day] = after.map((counts, index) => {
      const differences = ACTIVITY_KINDS.map((kind) => [kind, counts[kind] - before[index]![kind]] as const);
      return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
    });
    expect(day).toEqual(hour);
    return hour as Partial<Record<ActivityKind, number>>;
  }

  const wrong = { ...credentials, username: 'nobody-of-this-test', password: 'f'.repeat(64) };
  const form = (name: string, content: string) => ({
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b', 'idempotency-key': crypto.randomUUID() },
    payload: `--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n${content}\r\n--b--\r\n`,
  });

  const acts: Record<ActivityKind, () => Promise<unknown>> = {
    'sign-in.success': () => signIn(app),
    'sign-in.failure': () => signIn(app, wrong),
    'sign-in.not-allowed': async () => {
      for (const payload of [credentials, wrong])
        await app.inject({ method: 'POST', url: '/admin/auth/login', payload, remoteAddress: '198.51.100.9' });
    },
    'sign-in.lock': async () => {
      for (let i = 0; i < 5; i += 1) await signIn(app, { ...wrong, username: 'nobody-to-lock' });
    },
    'envelope.replay': async () => {
      const { options } = await sealed(app, { method: 'GET', url: '/admin/profile', headers });
      for (let i = 0; i < 3; i += 1) await app.inject(options);
    },
    'upload.refused': () => app.inject({ method: 'POST', url: '/admin/storage/files', ...form('a.exe', 'MZ') }),
    'flood.refused': async () => {
      const payload = { username: 'x', password: 'y', displayName: 'z' };
      for (let i = 0; i < 3; i += 1) await app.inject({ method: 'POST', url: '/admin/auth/register', payload });
    },
  };

  it('API-5: each kind is counted where it happens, by minute and by hour', async () => {
    expect(await added(acts['sign-in.success'])).toEqual({ 'sign-in.success': 1 });
    expect(await added(acts['sign-in.failure'])).toEqual({ 'sign-in.failure': 1 });
    const admin = await root(app);
    await setParameter(admin, 'admin.auth.login.ip-whitelist.values', '127.0.0.1');
    await setParameter(admin, 'admin.auth.login.ip-whitelist.enabled', true);
    // With the right password, too: none was looked at.
    expect(await added(acts['sign-in.not-allowed'])).toEqual({ 'sign-in.not-allowed': 2 });
    expect(await added(acts['sign-in.lock'])).toMatchObject({ 'sign-in.failure': 5, 'sign-in.lock': 1 });
    expect(await added(acts['envelope.replay'])).toEqual({ 'envelope.replay': 2 });
    expect(await added(acts['upload.refused'])).toEqual({ 'upload.refused': 1 });
    expect(await added(acts['flood.refused'])).toEqual({ 'flood.refused': 2 });
  });

  it('API-5: it needs its permission, and names no account', async () => {
    const username = await grantedAdministrator(bench.database, ['api:admin:payments:list']);
    const other = await token(app, username, credentials.password);
    expect((await app.inject({ url: '/admin/activity', headers: other })).json().code).toBe('PERMISSION_DENIED');
    expect((await app.inject({ url: '/admin/activity', headers })).body).not.toMatch(/nobody/);
    expect((await app.inject({ url: '/admin/activity?window=year', headers })).statusCode).toBe(400);
  });
});

describe('the counts of activity', () => {
  function nodes(count: number, store: Pick<TtlStore, 'increment' | 'get' | 'getAll'> = createMemoryStore()) {
    const clock = { now: Date.UTC(2026, 10, 28, 12, 30) };
    const made = Array.from({ length: count }, () => createActivity({ store, now: () => clock.now }));
    return { clock, made };
  }

  it('API-5: all nodes count into the same intervals, of which the last is the present one', async () => {
    const { clock, made } = nodes(2);
    const [one, other] = made as [ReturnType<typeof createActivity>, ReturnType<typeof createActivity>];
    one.note('sign-in.failure');
    clock.now += MINUTE;
    other.note('sign-in.failure');
    other.note('sign-in.failure');
    await Promise.all([one.flush(), other.flush()]);
    const { from, interval, kinds } = await one.read('hour');
    expect(kinds['sign-in.failure'].slice(-3)).toEqual([0, 1, 2]);
    expect(kinds['sign-in.failure']).toHaveLength(60);
    expect([from + 59 * interval, interval]).toEqual([clock.now, MINUTE]);
    expect((await other.read('day')).kinds['sign-in.failure']).toEqual([...new Array(23).fill(0), 3]);
    clock.now += 60 * MINUTE;
    expect(sum((await one.read('hour')).kinds['sign-in.failure'])).toBe(0);
    expect((await one.read('day')).kinds['sign-in.failure'].slice(-2)).toEqual([3, 0]);
  });

  it('API-5: what a store that is away did not take is added once, and an outage fills no memory', async () => {
    const store = createMemoryStore();
    let isAway = true;
    let asked = 0;
    const increment: TtlStore['increment'] = async (...call) => {
      asked += 1;
      if (isAway) throw new StoreUnavailableError();
      return store.increment(...call);
    };
    const { clock, made } = nodes(1, { increment, get: store.get, getAll: store.getAll! });
    const [node] = made as [ReturnType<typeof createActivity>];
    for (let minute = 0; minute < 3000; minute += 1) {
      for (const kind of ACTIVITY_KINDS) node.note(kind);
      clock.now += MINUTE;
      if (minute % 100 === 99) await expect(node.flush()).rejects.toThrow(StoreUnavailableError);
    }
    await expect(node.read('hour')).rejects.toThrow(StoreUnavailableError);
    asked = 0;
    await expect(node.flush()).rejects.toThrow(StoreUnavailableError);
    expect(asked).toBeLessThanOrEqual(ACTIVITY_KINDS.length * (60 + 24));
    isAway = false;
    node.note('flood.refused');
    const { kinds } = await node.read('hour');
    expect(kinds['flood.refused'].slice(-3)).toEqual([1, 1, 1]);
    expect(sum((await node.read('hour')).kinds['flood.refused'])).toBe(60);
  });
});
