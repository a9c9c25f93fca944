import { fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createEnvelopeClient } from '../../src/client/index.js';
import { envelopeCrypto } from '../../src/index.js';
import { injectedFetch } from '../injected-fetch.js';
import { createService, privateKey, type Service, testGuard } from '../service.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const WINDOW = 5 * MINUTE;

const BOOTSTRAP = '/encryption/public-key';
const TIME = '/encryption/time';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

/** What an attacker who ends TLS does with a request: answers it himself, or null to let it through. */
type Attacker = (path: string, forward: () => Promise<Response>) => Promise<Response | null>;

const pass: Attacker = async () => null;

/** He describes the encryption with another time. */
const saysTime =
  (serverTime: () => number): Attacker =>
  async (path, forward) => {
    if (path !== BOOTSTRAP) return null;
    const { data } = (await (await forward()).json()) as { data: object };
    return Response.json({ data: { ...data, serverTime: serverTime() } });
  };

const dropsTime: Attacker = async (path) => {
  if (path === TIME) throw new TypeError('fetch failed');
  return null;
};

const both =
  (...attackers: readonly Attacker[]): Attacker =>
  async (path, forward) => {
    for (const attacker of attackers) {
      const answer = await attacker(path, forward);
      if (answer !== null) return answer;
    }
    return null;
  };

interface Sent {
  readonly line: string;
  /** The stamp of the envelope, if there is one. */
  readonly stamp: number | undefined;
  /** Delivers it. */
  deliver(): Promise<Response>;
}

async function meet(deviceAhead: number) {
  const service = await createService({
    routes: (app) => app.all('/echo', async ({ method }) => ({ data: method })),
  });
  opened.push(service);
  const device = { aheadMillis: deviceAhead };
  const sent: Sent[] = [];
  const state = { attacker: pass };
  const inject = injectedFetch(service.app);
  const now = () => service.clock.now + device.aheadMillis;
  const client = createEnvelopeClient({
    baseUrl: 'https://time.test',
    trustedKeys: [service.app.envelopeCrypto.publicKey!],
    now,
    whenIdle: () => {},
    async fetch(input, init) {
      const { pathname, searchParams } = new URL(String(input));
      const carried = init?.body ?? Buffer.from(searchParams.get('__enc') ?? '', 'base64url').toString();
      const deliver = () => inject(input, init);
      const stamp: number | undefined = carried === '' ? undefined : JSON.parse(String(carried)).ts;
      sent.push({ line: `${init?.method ?? 'GET'} ${pathname}`, stamp, deliver });
      return (await state.attacker(pathname, deliver)) ?? deliver();
    },
  });
  return {
    ...{ service, device, client, sent, now },
    lines: () => sent.splice(0).map(({ line }) => line),
    attack(attacker: Attacker) {
      state.attacker = attacker;
    },
  };
}

describe('ENV-16 a device whose clock is wrong', () => {
  it.each([
    ['an hour', HOUR],
    ['a day', DAY],
    ['a year', YEAR],
  ])('gets through where it is %s behind, by one sealed time', async (_, millis) => {
    const { client, lines, service } = await meet(-millis);
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
    expect(lines()).toEqual([`GET ${BOOTSTRAP}`, `POST ${TIME}`, 'POST /echo']);
    expect((await client.fetch('/echo')).status).toBe(200);
    expect(lines()).toEqual(['GET /echo']);
    // The question is no request: its nonce is not recorded.
    expect(service.store.asked).toHaveLength(2);
  });

  it.each([
    ['an hour', HOUR],
    ['a day', DAY],
    ['a year', YEAR],
  ])('gets through where it is %s ahead, and asks for nothing', async (_, millis) => {
    const { client, lines } = await meet(millis);
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
    expect(lines()).toEqual([`GET ${BOOTSTRAP}`, 'POST /echo']);
  });

  it('asks from the first millisecond beyond ten minutes on', async () => {
    const near = await meet(-10 * MINUTE);
    expect((await near.client.fetch('/echo')).status).toBe(200);
    expect(near.lines()).not.toContain(`POST ${TIME}`);
    const far = await meet(-10 * MINUTE - 1);
    expect((await far.client.fetch('/echo')).status).toBe(200);
    expect(far.lines()).toContain(`POST ${TIME}`);
  });

  it('gets through when the clock is set back while the client runs', async () => {
    const { client, device, lines } = await meet(0);
    await client.fetch('/echo');
    lines();
    device.aheadMillis = -YEAR;
    expect((await client.fetch('/echo')).status).toBe(200);
    expect(lines()).toEqual(['GET /echo', `GET ${BOOTSTRAP}`, `POST ${TIME}`, 'GET /echo']);
  });

  it('asks again once ten minutes have passed, so that a clock that is put right is not corrected any more', async () => {
    const { client, device, lines, sent, service } = await meet(-YEAR);
    await client.fetch('/echo');
    lines();
    service.clock.now += 9 * MINUTE;
    expect((await client.fetch('/echo')).status).toBe(200);
    expect(lines()).toEqual(['GET /echo']);
    service.clock.now += 2 * MINUTE;
    expect((await client.fetch('/echo')).status).toBe(200);
    expect(lines()).toEqual([`GET ${BOOTSTRAP}`, `POST ${TIME}`, 'GET /echo']);
    device.aheadMillis = 0;
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
    for (const { stamp } of sent) expect(stamp ?? 0).toBeLessThanOrEqual(service.clock.now);
    expect(lines()).toEqual([`GET ${BOOTSTRAP}`, 'POST /echo']);
  });
});

describe('ENV-16 who ends TLS, at a client that has pinned the key', () => {
  const forgeries: readonly (readonly [string, number])[] = [
    ['23 hours', 23 * HOUR],
    ['11 minutes', 11 * MINUTE],
    ['a year', YEAR],
  ];

  it.each(forgeries)('moves no clock by a bootstrap from %s ahead, if he lets the question pass', async (_, millis) => {
    const { attack, client, now, sent } = await meet(0);
    attack(saysTime(() => now() + millis));
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
    expect(sent.map(({ line }) => line)).toEqual([`GET ${BOOTSTRAP}`, `POST ${TIME}`, 'POST /echo']);
    for (const { stamp } of sent.slice(1)) expect(stamp).toBe(now());
  });

  it.each(forgeries)('gets ten minutes by %s, if he answers the question himself or not at all', async (_, millis) => {
    for (const answersTime of [
      dropsTime,
      (async (path) => (path === TIME ? Response.json({ data: { serverTime: 1 } }) : null)) as Attacker,
    ]) {
      const { attack, client, now, sent, service } = await meet(0);
      attack(
        both(
          saysTime(() => now() + millis),
          answersTime,
        ),
      );
      // The stamp is outside of the window, so that the service refuses it now. He keeps it for later.
      await client.fetch('/echo', { method: 'POST' });
      const withheld = sent.at(-1)!;
      for (const { stamp } of sent) expect(stamp ?? 0).toBeLessThanOrEqual(now() + 10 * MINUTE);
      service.clock.now += 10 * MINUTE + WINDOW + 1;
      expect((await withheld.deliver()).status).toBe(400);
      service.clock.now += millis;
      expect((await withheld.deliver()).status).toBe(400);
    }
  });

  it.each(forgeries)('gets ten minutes by a refusal that tells %s ahead', async (_, millis) => {
    const { attack, client, now, sent } = await meet(0);
    await client.fetch('/echo');
    const refuses: Attacker = async (path) => {
      if (path !== '/echo') return null;
      return Response.json({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED', serverTime: now() + millis }, { status: 400 });
    };
    attack(
      both(
        refuses,
        saysTime(() => now() + millis),
        dropsTime,
      ),
    );
    await client.fetch('/echo');
    await client.fetch('/echo', { method: 'POST' });
    await client.fetch('/echo', { method: 'POST' });
    expect(sent.length).toBeGreaterThan(4);
    for (const { stamp } of sent) expect(stamp ?? 0).toBeLessThanOrEqual(now() + 10 * MINUTE);
    attack(pass);
    // It does not outlive the attack: the refusal of the service puts the clock right.
    expect((await client.fetch('/echo')).status).toBe(200);
    expect(sent.at(-1)!.stamp).toBe(now());
  });

  it('moves the clock back freely, which costs a request', async () => {
    const { attack, client, now } = await meet(0);
    attack(saysTime(() => now() - DAY));
    expect((await client.fetch('/echo')).status).toBe(200);
    const other = await meet(0);
    other.attack(saysTime(() => other.now() - DAY));
    expect((await other.client.fetch('/echo', { method: 'POST' })).status).toBe(400);
    expect((await other.client.fetch('/echo', { method: 'POST' })).status).toBe(200);
  });

  it('gives no sealed answer of another question, and none of another request', async () => {
    const { attack, client, device, now, sent, service } = await meet(-YEAR);
    const kept: Record<string, Response> = {};
    attack(async (path, forward) => {
      if (path === BOOTSTRAP) return null;
      const answer = await forward();
      kept[path] = answer.clone();
      return answer;
    });
    expect((await client.fetch('/echo', { method: 'POST' })).status).toBe(200);
    expect(Object.keys(kept)).toEqual([TIME, '/echo']);
    for (const again of Object.values(kept)) {
      device.aheadMillis = -2 * YEAR;
      sent.length = 0;
      attack(async (path) => (path === TIME ? again.clone() : null));
      await client.fetch('/echo', { method: 'POST' });
      expect(sent.map(({ line }) => line)).toEqual([`GET ${BOOTSTRAP}`, `POST ${TIME}`, 'POST /echo']);
      expect(sent.at(-1)!.stamp).toBe(now() + 10 * MINUTE);
      attack(pass);
      device.aheadMillis = -YEAR;
      service.clock.now += 11 * MINUTE;
      expect((await client.fetch('/echo')).status).toBe(200);
    }
  });

  it('gains nothing by an answer that he keeps: it tells the time at which it was sealed', async () => {
    const { attack, client, now, sent, service } = await meet(0);
    attack(
      both(
        saysTime(() => now() + DAY),
        async (path, forward) => {
          if (path !== TIME) return null;
          const answer = await forward();
          service.clock.now += HOUR;
          return answer;
        },
      ),
    );
    await client.fetch('/echo', { method: 'POST' });
    expect(sent.at(-1)!.stamp).toBe(now() - HOUR);
  });
});

describe('ENV-16 a service that is older than the sealed time', () => {
  async function meetOlder(deviceAhead: number) {
    const app = fastify();
    const key = privateKey();
    await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'k', privateKey: key });
    const store = { claimed: new Set<string>(), asked: [], unreachable: false, asleep: false };
    await app.register(testGuard, { store });
    app.get(BOOTSTRAP, { config: { bypassEnvelope: true } }, async () => ({ data: app.envelopeCrypto.bootstrap() }));
    app.all('/echo', async () => ({ data: 'served' }));
    const client = createEnvelopeClient({
      baseUrl: 'https://older.test',
      fetch: injectedFetch(app),
      now: () => Date.now() + deviceAhead,
    });
    return client.fetch('/echo', { method: 'POST' });
  }

  it.each([-14 * MINUTE, -9 * MINUTE, 0, HOUR, YEAR])('serves a device that is ahead by %i ms', async (ahead) => {
    expect((await meetOlder(ahead)).status).toBe(200);
  });

  it('refuses a device that is an hour behind, as an answer', async () => {
    const refused = await meetOlder(-HOUR);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'ENVELOPE_EXPIRED_OR_REPLAYED' });
  });
});
