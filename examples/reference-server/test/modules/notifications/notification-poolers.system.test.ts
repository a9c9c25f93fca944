import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { USUAL_REMEDY } from '../../../../../scripts/pgbouncer-process.js';
import { lacks } from '../../../../../scripts/test-needs.js';
import type { Notification } from '../../../src/modules/notifications/notification.js';
import { openNotificationQueue } from '../../../src/modules/notifications/notification-queue.js';
import { startNotificationWorker } from '../../../src/modules/notifications/notification-worker.js';
import { openQueueBackend } from '../../../src/modules/notifications/queue-backend.js';
import { createPayloadSeal } from '../../../src/modules/notifications/sealed-payload.js';
import { openPostgres } from '../../../src/storage/postgres.js';
import { openPoolerBetween } from '../../support/pooler-between.js';

const seal = createPayloadSeal(randomBytes(32));
const silent = { info: () => {}, warn: () => {} };

describe.skipIf(lacks('pgbouncer'))('the notification queue after a reconnect to a pooler', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  it.each([
    ['session', []],
    ['transaction', [USUAL_REMEDY]],
    // The search path of the queue is in this parameter.
    ['transaction', [`${USUAL_REMEDY},options`, 'default_pool_size = 2']],
  ] as const)(
    'REL-15 behind %s mode with %j what it took is delivered once PostgreSQL is back',
    async (mode, settings) => {
      const way = await openPoolerBetween(ends, mode, ...settings);
      const database = await openPostgres(way.url);
      ends.push(() => database.close());
      const backend = await openQueueBackend(
        {
          'redis-url': null,
          'redis-cluster': false,
          'redis-key-prefix': 't:',
          'database-url': way.url,
          'database-schema': 'public',
        },
        { database, redis: null },
      );
      const queue = await openNotificationQueue(backend, seal, () => {});
      const delivered: string[] = [];
      const worker = await startNotificationWorker({
        ...{ backend, seal, leaseSeconds: 1, log: silent },
        async deliver({ id }: Notification) {
          delivered.push(id);
          return 'sent' as const;
        },
      });
      ends.push(async () => {
        backend.stopFetching();
        await worker.close();
        await queue.close();
        await backend.close();
      });
      const taken: string[] = [];
      async function submit(): Promise<void> {
        const id = randomUUID();
        const message: Notification = {
          ...{ id, kind: 'sms-code', mobile: '+8613812345678', code: '042042', codeId: 'c', language: 'en' },
          ...{ validMinutes: 5, expiresAt: Date.now() + 300_000 },
        };
        await queue.add(message).then(
          () => taken.push(id),
          () => {},
        );
      }

      await Promise.all(Array.from({ length: 5 }, submit));
      await expect.poll(() => delivered.length, { timeout: 10_000 }).toBe(5);
      way.redirectToPooler();
      await Promise.all(Array.from({ length: 10 }, submit));
      const takenBehind = taken.length - 5;
      const deliveredBehind = delivered.length - 5;
      way.redirectToPostgres();
      await expect
        .poll(
          async () => {
            const before = taken.length;
            await submit();
            return taken.length - before;
          },
          { timeout: 20_000 },
        )
        .toBe(1);
      await expect.poll(() => taken.filter((id) => !delivered.includes(id)), { timeout: 20_000 }).toEqual([]);
      process.stdout.write(
        `${mode}, ${settings.length} settings: of 10 behind the pooler ${takenBehind} taken, ${deliveredBehind} delivered there; ` +
          `${taken.length} taken, ${delivered.length} delivered\n`,
      );
      expect(taken.length).toBeGreaterThanOrEqual(6);
    },
  );
});
