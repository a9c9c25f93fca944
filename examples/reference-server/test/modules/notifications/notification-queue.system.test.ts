import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createMemoryStore } from '@sallyport/ttl-store';
import type { JobType } from 'bullmq';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createTestDatabase } from '../../../../../scripts/test-database.js';
import { openTestEmbedded } from '../../../../../scripts/test-embedded.js';
import { lacks } from '../../../../../scripts/test-needs.js';
import { createDelivery, type DeliveryOutcome } from '../../../src/modules/notifications/deliver.js';
import type { Notification } from '../../../src/modules/notifications/notification.js';
import {
  type NotificationQueue,
  openNotificationQueue,
} from '../../../src/modules/notifications/notification-queue.js';
import {
  type NotificationWorker,
  startNotificationWorker,
} from '../../../src/modules/notifications/notification-worker.js';
import { openQueueBackend, type QueueBackend } from '../../../src/modules/notifications/queue-backend.js';
import { createPayloadSeal } from '../../../src/modules/notifications/sealed-payload.js';
import { openInMemory } from '../../../src/storage/embedded.js';
import { openPostgres } from '../../../src/storage/postgres.js';
import { openRedis } from '../../../src/storage/redis.js';

const seal = createPayloadSeal(randomBytes(32));
const silent = { info: () => {}, warn: () => {} };

/** How each kind of queue is opened and closed. */
const kinds: Record<string, () => Promise<readonly [QueueBackend, () => Promise<void>]>> = {
  'the embedded database': async () => {
    const database = await openInMemory(await openTestEmbedded());
    const config = {
      'redis-url': null,
      'redis-cluster': false,
      'redis-key-prefix': 't:',
      'database-url': null,
      'database-schema': 'public',
    };
    return [await openQueueBackend(config, { database, redis: null }), database.close];
  },
  PostgreSQL: async () => {
    const own = await createTestDatabase();
    const database = await openPostgres(own.url);
    const config = {
      'redis-url': null,
      'redis-cluster': false,
      'redis-key-prefix': 't:',
      'database-url': own.url,
      'database-schema': 'public',
    };
    const close = async () => {
      await database.close();
      await own.drop();
    };
    return [await openQueueBackend(config, { database, redis: null }), close];
  },
  Redis: async () => {
    const redisUrl = inject('redisUrl') as string;
    const redis = await openRedis(redisUrl, false);
    const prefix = `t-${uuidv7()}:`;
    const config = {
      'redis-url': redisUrl,
      'redis-cluster': false,
      'redis-key-prefix': prefix,
      'database-url': null,
      'database-schema': 'public',
    };
    // The database is not used.
    const database = { embedded: null } as never;
    return [await openQueueBackend(config, { database, redis }), async () => redis.disconnect()];
  },
};

describe.each(Object.entries(kinds))('the notification queue in %s', (name, open) => {
  describe.skipIf(lacks(name === 'Redis' ? 'redis' : null))('with workers', { timeout: 60_000 }, () => {
    let backend: QueueBackend;
    let closeStore: () => Promise<void>;
    let queue: NotificationQueue;
    let delivered: Notification[];
    let workers: NotificationWorker[];
    let deliver: (notification: Notification) => Promise<DeliveryOutcome>;

    beforeAll(async () => {
      [backend, closeStore] = await open();
    }, 60_000);
    beforeEach(async () => {
      queue = await openNotificationQueue(backend, seal, () => {});
      delivered = [];
      workers = [];
      deliver = async (notification) => {
        delivered.push(notification);
        return 'sent';
      };
    });
    afterEach(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await queue.close();
    });
    afterAll(async () => {
      await backend.close();
      await closeStore();
    });

    async function work(leaseSeconds = 1): Promise<void> {
      const deliverNow = (notification: Notification) => deliver(notification);
      workers.push(await startNotificationWorker({ backend, seal, deliver: deliverNow, leaseSeconds, log: silent }));
    }
    const message = (more: Partial<Notification> = {}): Notification => ({
      id: uuidv7(),
      kind: 'sms-code',
      mobile: '+8613812345678',
      code: 'x42-042',
      codeId: 'c',
      language: 'en',
      validMinutes: 5,
      expiresAt: Date.now() + 300_000,
      ...more,
    });
    const stateOf = async (id: string) =>
      (await queue.list({ page: 1, size: 200 })).items.find((item) => item.id === id);
    const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 20 });

    it('APP-4 messages queued without a worker are delivered when workers start, once each, by any number of workers', async () => {
      const messages = Array.from({ length: 20 }, (_, i) => message({ code: String(i) }));
      await Promise.all(messages.map((each) => queue.add(each)));
      expect((await stateOf(messages[0]!.id))?.state).toBe('queued');
      await Promise.all([work(), work()]);
      await until(() => expect(delivered).toHaveLength(20));
      expect(delivered.map(({ code }) => code).sort()).toEqual(messages.map(({ code }) => code).sort());
      expect(delivered).toContainEqual(messages[7]);
      await until(async () => expect((await stateOf(messages[0]!.id))?.state).toBe('sent'));
    });

    it('APP-4 what expired ends as expired, even if its key was replaced and nothing can open it', async () => {
      const expired = message({ expiresAt: Date.now() - 1 });
      await queue.add(expired);
      const outcomes: string[] = [];
      const open = () => {
        throw new Error('sealed with another key');
      };
      const onDelivery = (outcome: string) => void outcomes.push(outcome);
      workers.push(
        await startNotificationWorker({ backend, seal: { open }, deliver, leaseSeconds: 1, log: silent, onDelivery }),
      );
      await until(async () => expect((await stateOf(expired.id))?.state).toBe('expired'));
      expect([outcomes, delivered]).toEqual([['expired'], []]);
    });

    it('APP-4 SV-20 a failed message is retried until it is accepted', async () => {
      let fails = 2;
      deliver = async (notification) => {
        delivered.push(notification);
        fails -= 1;
        if (fails >= 0) throw new Error('away');
        return 'sent';
      };
      await work();
      const { id } = message();
      await queue.add(message({ id }));
      await until(async () => expect((await stateOf(id))?.state).toBe('retrying'));
      await until(async () => expect(await stateOf(id)).toMatchObject({ state: 'sent', attempts: 3 }));
      expect(delivered).toHaveLength(3);
    });

    it('APP-4 a message whose attempt fails while the list is read is listed', async () => {
      const ending = new EventEmitter();
      const id = uuidv7();
      deliver = async () => {
        await once(ending, 'failed');
        throw new Error('away');
      };
      await work();
      await queue.add(message({ id }));
      await until(async () => expect((await stateOf(id))?.state).toBe('sending'));
      const failing = await openNotificationQueue(
        failingBefore('active', () => ending.emit('failed')),
        seal,
        () => {},
      );
      onTestFinished(() => failing.close());
      const { items } = await failing.list({ page: 1, size: 200 });
      expect(items.find((item) => item.id === id)?.state).toBe('retrying');
    });

    /** The backend, whose queue fails the attempt and waits for its end before it answers for this type of jobs. */
    function failingBefore(type: JobType, fail: () => void): QueueBackend {
      const bull = backend.openQueue();
      const getRanges: typeof bull.getRanges = async (types, ...range) => {
        if (types?.includes(type)) {
          fail();
          await until(async () => expect(await bull.getRanges(['delayed'])).not.toEqual([]));
        }
        return bull.getRanges(types, ...range);
      };
      const held = new Proxy(bull, {
        get: (target, name) => (name === 'getRanges' ? getRanges : Reflect.get(target, name).bind(target)),
      });
      return { ...backend, openQueue: () => held };
    }

    it('APP-4 administrators see the state and the masked number of each message, and no code', async () => {
      deliver = async () => 'superseded';
      const { id, expiresAt } = message();
      await queue.add(message({ id, expiresAt }));
      const before = await queue.list({ page: 1, size: 1 });
      expect(before.items).toHaveLength(1);
      await work();
      await until(async () => expect((await stateOf(id))?.state).toBe('superseded'));
      const shown = await stateOf(id);
      expect(shown).toEqual({
        id,
        kind: 'sms-code',
        recipient: '+8613****78',
        state: 'superseded',
        attempts: 1,
        queuedAt: expect.any(Number),
        expiresAt,
        finishedAt: expect.any(Number),
      });
      expect(JSON.stringify(await queue.list({ page: 1, size: 200 }))).not.toMatch(/x42-042|13812345678/);
    });

    it('HTTP-1 APP-4 the pages of the list are complete and do not overlap', async () => {
      deliver = async () => 'sent';
      await work();
      await Promise.all(Array.from({ length: 5 }, () => queue.add(message())));
      const all = async () => (await queue.list({ page: 1, size: 200 })).items.map(({ id }) => id);
      await until(async () => {
        const { items } = await queue.list({ page: 1, size: 200 });
        expect(items.every(({ state }) => ['sent', 'superseded', 'expired'].includes(state))).toBe(true);
      });
      const { total } = await queue.list({ page: 1, size: 3 });
      const pages: string[] = [];
      for (let page = 1; page <= Math.ceil(total / 3); page += 1) {
        pages.push(...(await queue.list({ page, size: 3 })).items.map(({ id }) => id));
      }
      expect(pages).toEqual(await all());
      expect((await queue.list({ page: 1000, size: 3 })).items).toEqual([]);
    });

    it('APP-4 a page reads its own messages only, the newest first', async () => {
      const bull = backend.openQueue();
      const read: string[] = [];
      const getJob: typeof bull.getJob = (id) => {
        read.push(id);
        return bull.getJob(id);
      };
      const counting = new Proxy(bull, {
        get: (target, name) => (name === 'getJob' ? getJob : Reflect.get(target, name).bind(target)),
      });
      const counted = await openNotificationQueue({ ...backend, openQueue: () => counting }, seal, () => {});
      const ids = Array.from({ length: 4 }, () => uuidv7());
      for (const id of [...ids].reverse()) await queue.add(message({ id }));
      const { items, total } = await counted.list({ page: 2, size: 2 });
      await counted.close();
      expect(items.map(({ id }) => id)).toEqual([ids[1], ids[0]]);
      expect(read.sort()).toEqual([ids[0], ids[1]]);
      expect(total).toBeGreaterThanOrEqual(4);
      await work();
      await until(async () => expect(delivered).toHaveLength(4));
    });

    it('REL-9 another worker takes over the message of a silent worker, and the message is sent at most twice', async () => {
      const sends: string[] = [];
      const store = createMemoryStore();
      const engine = createDelivery({
        store,
        isWanted: async () => true,
        sender: {
          prepare: async ({ id }) => ({
            async send() {
              sends.push(id);
              // The first worker crashes here: it sent the message and never acknowledges it.
              if (sends.length === 1) await new Promise(() => {});
            },
            abandon: () => {},
          }),
        },
      });
      const mine = message();
      // To the others, a worker that does not renew its lease is dead.
      const dead = backend.openWorker(
        async (job) => {
          await engine(seal.open(String(job.id), job.data.sealed));
          return 'sent';
        },
        { lockDuration: 500, skipLockRenewal: true, skipStalledCheck: true },
      );
      dead.on('error', () => {});
      await queue.add(mine);
      await until(() => expect(sends).toEqual([mine.id]));
      deliver = engine;
      await work();
      await until(async () => expect((await stateOf(mine.id))?.state).toBe('sent'));
      expect(sends).toEqual([mine.id, mine.id]);
      await dead.close(true);
    });
  });
});
