import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { createTestDatabase } from '../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import { lacks } from '../../../scripts/test-needs.js';
import {
  createMemorySource,
  createSystemParameters,
  type ParameterNotifier,
  type ParameterSource,
  type ParameterWarning,
  type SystemParametersEngine,
  type SystemParametersEngineOptions,
} from '../src/index.js';
import { createPostgresNotifier } from '../src/postgres/index.js';
import { createRedisNotifier } from '../src/redis/index.js';
import { createClock } from './clock.js';
import { createFaultySource } from './faulty-source.js';
import { FAILURE_COUNT, loginParameters, tables } from './login-parameters.js';
import { sourceKinds } from './source-kinds.js';

const redisUrl = inject('redisUrl');
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startNode(
  source: ParameterSource,
  options: Partial<SystemParametersEngineOptions> = {},
): Promise<SystemParametersEngine> {
  const node = createSystemParameters({ tables, source, ...options });
  ends.push(() => node.close());
  await node.start();
  return node;
}

const failureCount = async (node: SystemParametersEngine) => (await node.read(loginParameters)).failureCount;

function redisClient(): Redis {
  const client = new Redis(redisUrl as string);
  ends.push(() => client.disconnect());
  return client;
}

/** Two notifiers per transport, each for a node of its own. */
const notifierKinds: Record<string, () => Promise<[ParameterNotifier, ParameterNotifier]>> = {
  async Redis() {
    const channel = randomUUID();
    return [
      createRedisNotifier({ client: redisClient(), channel }),
      createRedisNotifier({ client: redisClient(), channel }),
    ];
  },
  async 'Redis with connections made by the option'() {
    const channel = randomUUID();
    const connect = () => new Redis(redisUrl as string);
    return [
      createRedisNotifier({ client: redisClient(), channel, connect }),
      createRedisNotifier({ client: redisClient(), channel, connect }),
    ];
  },
  async 'LISTEN of PostgreSQL'() {
    const own = await createTestDatabase();
    ends.push(() => own.drop());
    return [
      createPostgresNotifier({ client: own.connect().$client }),
      createPostgresNotifier({ client: own.connect().$client }),
    ];
  },
  async 'LISTEN of PGlite'() {
    const client = await openTestEmbedded();
    ends.push(() => client.close());
    return [createPostgresNotifier({ client }), createPostgresNotifier({ client })];
  },
};

describe.each(Object.keys(notifierKinds))('two nodes with %s', (kind) => {
  const need = kind.startsWith('Redis') ? 'redis' : null;

  // The clocks don't move, so the second node can learn of the change only by the notification.
  it.skipIf(lacks(need))('SYS-3 LP-25 a change on one is in force on the other within 2 s', async () => {
    const [one, two] = await notifierKinds[kind]!();
    const source = createMemorySource();
    const { now } = createClock();
    const a = await startNode(source, { notifier: one, now });
    const b = await startNode(source, { notifier: two, now });
    expect(await failureCount(b)).toBe(5);
    for (const [version, value] of [3, 2, 1].entries()) {
      await a.change({ key: FAILURE_COUNT, value, version, changedBy: 'a' });
      expect(await failureCount(a)).toBe(value);
      await vi.waitFor(async () => expect(await failureCount(b)).toBe(value), { timeout: 10_000, interval: 2 });
    }
  });

  it.skipIf(lacks(need))('SYS-3 a closed subscription is told nothing more', async () => {
    const [one, two] = await notifierKinds[kind]!();
    const told = vi.fn();
    const subscription = two.subscribe(told);
    await subscription.active;
    told.mockClear();
    await one.publish();
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    await subscription.end();
    const before = told.mock.calls.length;
    const witness = vi.fn();
    const other = one.subscribe(witness);
    await other.active;
    witness.mockClear();
    await one.publish();
    await vi.waitFor(() => expect(witness).toHaveBeenCalled());
    expect(told.mock.calls.length).toBe(before);
    await other.end();
  });
});

describe.each(Object.keys(sourceKinds))('two nodes on %s without a notifier', (kindName) => {
  it('SYS-3 LP-25 a change on one is in force on the other within 2 s, by age', async () => {
    const kind = await sourceKinds[kindName]!();
    ends.push(() => kind.close());
    const clock = createClock();
    const a = await startNode(kind.connect(), { now: clock.now });
    const b = await startNode(kind.connect(), { now: clock.now });
    for (const [version, value] of [3, 2, 1].entries()) {
      await a.change({ key: FAILURE_COUNT, value, version, changedBy: 'a' });
      clock.advance(2000);
      expect(await failureCount(b)).toBe(value);
    }
  });
});

describe('a node', () => {
  it('SYS-3 reads all values in one query, and sends no query while they are fresh', async () => {
    const source = createFaultySource(createMemorySource());
    const clock = createClock();
    const node = await startNode(source, { now: clock.now });
    expect(source.state.reads).toBe(1);
    clock.advance(1499);
    for (let count = 0; count < 100; count += 1) await node.read(loginParameters);
    await node.list();
    await node.publicValues();
    expect(source.state.reads).toBe(1);
    clock.advance(1);
    await node.read(loginParameters);
    expect(source.state.reads).toBe(2);
  });

  it('SYS-3 of a thousand concurrent readers one asks the source', async () => {
    const source = createFaultySource(createMemorySource());
    const clock = createClock();
    const node = await startNode(source, { now: clock.now });
    clock.advance(5000);
    await Promise.all(Array.from({ length: 1000 }, () => node.read(loginParameters)));
    expect(source.state).toMatchObject({ reads: 2, mostRunning: 1 });
  });

  it('SYS-3 a clock that is set back does not make values fresh', async () => {
    const source = createFaultySource(createMemorySource());
    const clock = createClock();
    const node = await startNode(source, { now: clock.now });
    clock.advance(-3_600_000);
    await node.read(loginParameters);
    expect(source.state.reads).toBe(2);
  });

  it('SYS-3 a query that was sent before a change does not restore the old value', async () => {
    const memory = createMemorySource();
    let release = () => {};
    let isHeld = false;
    const source: ParameterSource = {
      ...memory,
      async read(keys) {
        const rows = await memory.read(keys);
        if (isHeld) {
          isHeld = false;
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        return rows;
      },
    };
    const clock = createClock();
    const listeners: (() => void)[] = [];
    const notifier: ParameterNotifier = {
      publish: async () => listeners.forEach((listener) => void listener()),
      subscribe: (listener) => {
        listeners.push(listener);
        return { active: Promise.resolve(), end: async () => {} };
      },
    };
    const node = await startNode(source, { now: clock.now, notifier });
    const elsewhere = await startNode(memory);
    clock.advance(2000);
    isHeld = true;
    const early = node.read(loginParameters);
    await elsewhere.change({ key: FAILURE_COUNT, value: 1, version: 0, changedBy: 'b' });
    await notifier.publish();
    const late = failureCount(node);
    await vi.waitFor(() => expect(release).not.toBe(undefined));
    release();
    expect((await early).failureCount).toBe(5);
    expect(await late).toBe(1);
  });

  it('SYS-3 while the source is away the last good values stay in force and changes are 503', async () => {
    const memory = createMemorySource();
    const source = createFaultySource(memory);
    const clock = createClock();
    const warnings: ParameterWarning[] = [];
    const node = await startNode(source, { now: clock.now, warn: (warning) => warnings.push(warning) });
    const elsewhere = await startNode(memory);
    await elsewhere.change({ key: FAILURE_COUNT, value: 2, version: 0, changedBy: 'b' });

    source.state.mode = 'away';
    clock.advance(60_000);
    expect(await failureCount(node)).toBe(5);
    expect(node.health()).toEqual({ state: 'last-good', ageMillis: 60_000, faults: [] });
    await expect(node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'a' })).rejects.toMatchObject({
      statusCode: 503,
      code: 'SYSTEM_PARAMETERS_UNAVAILABLE',
      cause: { message: 'connect ECONNREFUSED' },
    });
    expect(warnings).toMatchObject([{ kind: 'source-away', cause: { message: 'connect ECONNREFUSED' } }]);

    source.state.mode = 'there';
    clock.advance(500);
    expect(await failureCount(node)).toBe(2);
    expect(node.health()).toEqual({ state: 'current', ageMillis: 0, faults: [] });
    expect(warnings.map(({ kind }) => kind)).toEqual(['source-away', 'source-back']);
  });

  it('SYS-3 atHand returns what read would without I/O, and null if read would ask the source', async () => {
    const source = createFaultySource(createMemorySource());
    const clock = createClock();
    const node = await startNode(source, { now: clock.now });
    const read = await node.read(loginParameters);
    expect(node.atHand(loginParameters)).toBe(read);
    clock.advance(60_000);
    expect(node.atHand(loginParameters)).toBe(null);
    source.state.mode = 'away';
    expect(await node.read(loginParameters)).toEqual(read);
    expect(node.atHand(loginParameters)).toEqual(read);
    clock.advance(500);
    expect(node.atHand(loginParameters)).toBe(null);
    source.state.mode = 'there';
    const { version } = await node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'a' });
    expect([version, node.atHand(loginParameters)?.failureCount]).toEqual([1, 3]);
  });

  it('SYS-3 while the source is away it is asked twice a second, not by every reader', async () => {
    const source = createFaultySource(createMemorySource());
    const clock = createClock();
    const node = await startNode(source, { now: clock.now });
    source.state.mode = 'away';
    clock.advance(2000);
    for (let count = 0; count < 100; count += 1) await node.read(loginParameters);
    expect(source.state.reads).toBe(2);
    clock.advance(500);
    for (let count = 0; count < 100; count += 1) await node.read(loginParameters);
    expect(source.state.reads).toBe(3);
  });

  it('SYS-3 a source that hangs delays readers by timeoutMillis and is asked once', async () => {
    const source = createFaultySource(createMemorySource());
    const clock = createClock();
    const node = await startNode(source, { now: clock.now, timeoutMillis: 50 });
    source.state.mode = 'hanging';
    clock.advance(2000);
    expect(await Promise.all(Array.from({ length: 50 }, () => failureCount(node)))).toEqual(Array(50).fill(5));
    expect(source.state.reads).toBe(2);
    await expect(node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'a' })).rejects.toMatchObject({
      statusCode: 503,
    });
  });

  it('SYS-3 without a first read it does not start, and answers 503', async () => {
    const source = createFaultySource(createMemorySource());
    source.state.mode = 'away';
    const node = createSystemParameters({ tables, source });
    const unavailable = { statusCode: 503, code: 'SYSTEM_PARAMETERS_UNAVAILABLE' };
    await expect(node.start()).rejects.toMatchObject(unavailable);
    await expect(node.read(loginParameters)).rejects.toMatchObject(unavailable);
    await expect(node.list()).rejects.toMatchObject(unavailable);
    await expect(node.publicValues()).rejects.toMatchObject(unavailable);
    expect(node.health()).toEqual({ state: 'never-read', ageMillis: null, faults: [] });
  });

  it('SYS-3 a notifier that fails or hangs causes warnings and loses no change', async () => {
    const clock = createClock();
    const failing: ParameterNotifier = {
      publish: async () => Promise.reject(new Error('no')),
      subscribe: () => {
        throw new Error('no');
      },
    };
    const hanging: ParameterNotifier = {
      publish: () => new Promise(() => {}),
      subscribe: () => ({ active: new Promise(() => {}), end: async () => {} }),
    };
    const source = createMemorySource();
    const warnings: string[] = [];
    const options = { now: clock.now, timeoutMillis: 50, warn: ({ kind }: ParameterWarning) => warnings.push(kind) };
    const a = await startNode(source, { ...options, notifier: failing });
    const b = await startNode(source, { ...options, notifier: hanging });
    await a.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'a' });
    await b.change({ key: FAILURE_COUNT, value: 2, version: 1, changedBy: 'a' });
    clock.advance(2000);
    expect(await failureCount(a)).toBe(2);
    await vi.waitFor(() => expect(warnings).toEqual(Array(4).fill('notifier-failed')));
  });

  it('SYS-3 listens again after PostgreSQL has closed the connection', async () => {
    const own = await createTestDatabase();
    ends.push(() => own.drop());
    const { $client: client } = own.connect();
    const notifier = createPostgresNotifier({ client });
    const told = vi.fn();
    const subscription = notifier.subscribe(told);
    await subscription.active;
    told.mockClear();
    await client`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${own.name} and pid <> pg_backend_pid()
    `;
    // It listens again and calls the listener, since a notification may have been missed.
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), 10_000);
    told.mockClear();
    await notifier.publish();
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    await subscription.end();
  });

  it.skipIf(lacks('redis'))('SYS-3 subscribes again after Redis has closed the connection', async () => {
    const client = redisClient();
    const subscriber = redisClient();
    const notifier = createRedisNotifier({ client, channel: randomUUID(), connect: () => subscriber });
    const told = vi.fn();
    const subscription = notifier.subscribe(told);
    await subscription.active;
    told.mockClear();
    await client.client('KILL', 'ID', await idOf(subscriber));
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), 10_000);
    told.mockClear();
    await vi.waitFor(async () => {
      await notifier.publish();
      expect(told).toHaveBeenCalled();
    });
    await subscription.end();
  });
});

/** A subscribed connection can't send CLIENT ID under RESP2; the server lists it by its local port. */
async function idOf(subscriber: Redis): Promise<string> {
  const admin = redisClient();
  const { localPort } = subscriber.stream as unknown as { localPort: number };
  const line = String(await admin.client('LIST'))
    .split('\n')
    .find((entry) => entry.includes(`:${localPort} `));
  return /id=(\d+)/.exec(line ?? '')![1]!;
}
