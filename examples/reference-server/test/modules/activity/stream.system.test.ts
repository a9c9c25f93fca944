import { randomBytes } from 'node:crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import type { LiveActivity } from '../../../src/modules/activity/streams.js';
import { roomy, token } from '../../support/accounts.js';
import { newAppUser } from '../../support/app-accounts.js';
import { eventReader } from '../../support/event-reader.js';
import { grantedAdministrator } from '../../support/granted-administrator.js';
import { bearer, credentials, openTestBench, type TestBench } from '../../support/test-app.js';

const REQUIRED = {
  SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
  SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
};
const COUNTS = 'api:admin:activity:read';
const SOURCES = 'api:admin:activity:sources';
const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

let bench: TestBench;
beforeAll(async () => {
  bench = await openTestBench();
});
afterAll(() => bench.close());

const readers: { cancel(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.cancel().catch(() => {})));
});

/** Servers with the same stores. */
async function nodes(count: number, environment: Readonly<Record<string, string>> = {}) {
  const config = bench.config({ ...roomy, ...environment });
  const resources = bench.resources(config);
  const apps: App[] = [];
  for (let i = 0; i < count; i += 1) apps.push(await bench.appOn(config, resources));
  const origins = await Promise.all(apps.map((app) => app.listen({ host: '127.0.0.1', port: 0 })));
  return { apps, origins } as { apps: [App, App]; origins: [string, string] };
}

interface Asked {
  readonly lastEventId?: string;
  readonly path?: string;
}

async function ask(origin: string, headers: { authorization: string }, { lastEventId, path = '' }: Asked = {}) {
  const more = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  return fetch(`${origin}/admin/activity/stream${path}`, { headers: { ...headers, ...more } });
}

async function watch(...asked: Parameters<typeof ask>) {
  const response = await ask(...asked);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const reader = eventReader(response);
  readers.push(reader);
  return {
    ...reader,
    async activity(): Promise<{ id: string; activity: LiveActivity }> {
      for (;;) {
        const event = await reader.next();
        const { kind, activity } = JSON.parse(event!.data);
        if (kind === 'activity') return { id: event!.id!, activity };
      }
    },
  };
}

const guess = (origin: string, username: string) =>
  fetch(`${origin}/admin/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...credentials, username, password: 'f'.repeat(64) }),
  });

describe('GET /admin/activity/stream', () => {
  let apps: [App, App];
  let origins: [string, string];
  let headers: { authorization: string };
  beforeAll(async () => {
    ({ apps, origins } = await nodes(2));
    headers = await bearer(apps[0]);
  });

  it('API-5: an attack on another node is seen within seconds, with existing names, addresses and networks', async () => {
    const stream = await watch(origins[0], headers);
    const before = (await stream.activity()).activity;
    expect(before.sessions?.admin.isExact).toBe(true);
    expect(before.sessions!.admin.count).toBeGreaterThan(0);
    const began = Date.now();
    const password = 'typed-into-the-wrong-field';
    for (let i = 0; i < 3; i += 1) await guess(origins[1], credentials.username);
    await guess(origins[1], password);
    for (;;) {
      const { activity } = await stream.activity();
      const failures = total(activity.kinds['sign-in.failure']) - total(before.kinds['sign-in.failure']);
      const { names, addresses, networks } = activity.sources!;
      // Counts and sources are written side by side, so a look may find some of them.
      const found = [names, addresses, networks].map(([first]) => first?.failures ?? 0);
      if (failures < 4 || [3, 4, 4].some((all, place) => found[place]! < all)) continue;
      expect(names).toMatchObject([{ audience: 'admin', name: credentials.username, failures: 3 }]);
      expect(addresses).toEqual([{ address: '127.0.0.1', failures: 4 }]);
      expect(networks).toEqual([{ network: '127.0.0.0/24', failures: 4 }]);
      expect(JSON.stringify(activity)).not.toContain(password);
      break;
    }
    expect(Date.now() - began).toBeLessThan(5000);
  });

  it('API-5: guesses at an app user are counted under the number, however the path is spelt', async () => {
    const { mobile } = await newAppUser(apps[0]);
    const stream = await watch(origins[0], headers);
    const body = JSON.stringify({ mobile, password: 'f'.repeat(64), terminal: 'app' });
    for (const path of ['/app/auth/login', '/%61pp/auth/login'])
      await fetch(origins[1] + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (;;) {
      const { names = [] } = (await stream.activity()).activity.sources ?? {};
      const ofUser = names.filter(({ audience }) => audience === 'app');
      if (ofUser.length === 0 || ofUser[0]!.failures < 2) continue;
      expect(ofUser).toMatchObject([{ failures: 2, name: expect.stringContaining('****') }]);
      break;
    }
    await stream.cancel();
  });

  it('API-5: it resumes on another node: nothing if nothing has changed, and all of a gap at once', async () => {
    const first = await watch(origins[0], headers);
    const { id, activity } = await first.activity();
    await first.cancel();
    await guess(origins[1], 'nobody-during-the-gap');
    const again = await watch(origins[1], headers, { lastEventId: id });
    const caughtUp = await again.activity();
    const failures = (live: LiveActivity) => total(live.kinds['sign-in.failure']);
    expect(failures(caughtUp.activity)).toBe(failures(activity) + 1);

    await expect
      .poll(async () => {
        const present = await watch(origins[0], headers);
        const { id: last } = await present.activity();
        const resumed = await watch(origins[1], headers, { lastEventId: last });
        const { data } = (await resumed.next())!;
        await Promise.all([present.cancel(), resumed.cancel()]);
        return data;
      })
      .toBe('{"kind":"unchanged"}');
  });

  it('API-5: it ends with its session, on any node, and the next request says why', async () => {
    const own = await token(apps[0], credentials.username, credentials.password);
    const [here, there] = [await watch(origins[0], own), await watch(origins[1], own)];
    await here.activity();
    await there.activity();
    const began = Date.now();
    await fetch(`${origins[0]}/auth/logout`, { method: 'POST', headers: own });
    const end = async (stream: typeof here) => {
      while ((await stream.next()) !== null);
    };
    await expect(end(here)).rejects.toThrow();
    await expect(end(there)).rejects.toThrow();
    expect(Date.now() - began).toBeLessThan(3000);
    const refused = await ask(origins[0], own);
    expect([refused.status, await codeOf(refused)]).toEqual([401, 'SESSION_REVOKED']);
  });

  it('API-5: it needs its permission, shows sources only with theirs, and ends when it is withdrawn', async () => {
    const signIn = async (grants: string[]) => {
      const username = await grantedAdministrator(bench.database, grants);
      return token(apps[0], username, credentials.password);
    };
    const refused = await ask(origins[0], await signIn([SOURCES]));
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'PERMISSION_DENIED']);
    expect((await fetch(`${origins[0]}/admin/activity/stream`)).status).toBe(401);
    const inUrl = headers.authorization.replace('Bearer ', '');
    expect((await fetch(`${origins[0]}/admin/activity/stream?access_token=${inUrl}`)).status).toBe(401);

    await guess(origins[0], credentials.username);
    const counting = await watch(origins[0], await signIn([COUNTS]));
    expect((await counting.activity()).activity.sources).toBeNull();
    const seeing = await watch(origins[0], await signIn([COUNTS, SOURCES]));
    expect((await seeing.activity()).activity.sources).not.toBeNull();
    await bench.database.orm.execute(`update roles set permissions = '{}' where '${COUNTS}' = any(permissions)`);
    await expect(
      (async () => {
        while ((await seeing.next()) !== null);
      })(),
    ).rejects.toThrow();
  }, 20_000);

  it('API-5: a flood of streams is refused, and a reader that goes gives its place back', async () => {
    const username = await grantedAdministrator(bench.database, [COUNTS]);
    const own = await token(apps[0], username, credentials.password);
    const other = await token(apps[0], username, credentials.password);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(origins[0], i % 2 === 0 ? own : other)));
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([taken.length, refused.length]).toEqual([4, 8]);
    expect(await codeOf(refused[0]!)).toBe('STREAMS_EXCEEDED');
    expect((await ask(origins[1], own).then(eventReader)).next).toBeDefined();
    await Promise.all(taken.map(({ body }) => body!.cancel()));
    await expect
      .poll(async () => {
        const { status, body } = await ask(origins[0], own);
        await body?.cancel();
        return status;
      })
      .toBe(200);
  });

  it('API-5: HEAD and bad queries are refused', async () => {
    expect((await fetch(`${origins[0]}/admin/activity/stream`, { method: 'HEAD', headers })).status).toBe(404);
    expect((await ask(origins[0], headers, { path: '?window=year' })).status).toBe(400);
    const long = 'x'.repeat(65);
    expect((await ask(origins[0], headers, { lastEventId: long })).status).toBe(400);
  });

  it('API-5: the start of a stream is recorded once, and a stop of the server ends it properly', async () => {
    const { apps, origins } = await nodes(1);
    const stream = await watch(origins[0], await bearer(apps[0]));
    await stream.activity();
    const began = Date.now();
    await Promise.all([
      apps[0].close(),
      (async () => {
        while ((await stream.next()) !== null);
      })(),
    ]);
    expect(Date.now() - began).toBeLessThan(3000);
    const records = await bench.database.orm.execute(
      `select outcome from audit_records where action = 'activity.read' and outcome = 'success'`,
    );
    expect([...(records as unknown as unknown[])].length).toBeGreaterThan(0);
  });
});

describe('GET /admin/activity/stream, sealed', () => {
  it('API-5: each event is sealed, and the client opens it; without an envelope there is no stream', async () => {
    const { origins } = await nodes(1, REQUIRED);
    const client = createEnvelopeClient({ baseUrl: origins[0], requireEncryption: true });
    const signIn = (password: string) =>
      client.fetch('/admin/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...credentials, password }),
      });
    const { data } = (await (await signIn(credentials.password)).json()) as { data: { token: string } };
    const authorization = `Bearer ${data.token}`;
    const response = await client.fetch('/admin/activity/stream?window=day', { headers: { authorization } });
    const reader = eventReader(response);
    readers.push(reader);
    const first = (await reader.next())!;
    expect(Object.keys(JSON.parse(first.data)).sort()).toEqual(['ct', 'iv', 'nonce', 'ts']);
    const { activity } = JSON.parse(await client.openEvent(response, first.data));
    expect(activity.kinds['sign-in.success']).toHaveLength(24);
    await guess(origins[0], 'in-the-clear');
    await signIn('f'.repeat(64));
    let live: LiveActivity;
    do {
      const { data } = (await reader.next())!;
      live = JSON.parse(await client.openEvent(response, data)).activity;
    } while (!live?.sources?.names.some(({ audience }) => audience === 'admin'));
    const names = live.sources!.names.filter(({ audience }) => audience === 'admin');
    expect(names).toMatchObject([{ name: credentials.username }]);
    const plain = await ask(origins[0], { authorization });
    expect([plain.status, await codeOf(plain)]).toEqual([400, 'ENVELOPE_REQUIRED']);
  });
});
