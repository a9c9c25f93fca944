// The built server, composed as in `server.ts`, with kill points for the harness. The points are in wrappers of the
// server's dependencies, not in the server itself.
import type { IdempotencyStore } from '@sallyport/idempotency';
import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { createPostgresStore } from '@sallyport/ttl-store/postgres';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import { composeApp, createApp } from '../../dist/app.js';
import { type Config, readConfig } from '../../dist/config/config.js';
import type { Resources } from '../../dist/storage/opened-resources.js';
import { openResources } from '../../dist/storage/resources.js';
import { completeAfterHandler } from './complete-after-handler.js';
import { readKillPoint } from './kill-point.js';
import { watchRecordStore, watchTtlStore } from './watched-stores.js';
import { watchAnnouncements, watchAnswers, watchTransactions } from './watched-writes.js';

/** Returns the store of the idempotency records, which may or may not commit with the handler's rows. */
function watchedStore(config: Config, { database, redis, stores }: Resources): TtlStore | IdempotencyStore {
  const { FAULT_IDEMPOTENCY_STORE: name } = process.env;
  switch (name) {
    case 'postgres':
      return watchRecordStore(stores.idempotency, reach);
    case 'redis':
      if (redis === null) throw new TypeError('SERVICE_REDIS_URL is needed');
      return watchTtlStore(createRedisStore({ client: redis, keyPrefix: config['redis-key-prefix'] }), reach);
    case 'postgres-ttl':
      return watchTtlStore(createPostgresStore({ database: database.orm }), reach);
    case 'memory':
      return watchTtlStore(createMemoryStore(), reach);
    default:
      throw new TypeError(`FAULT_IDEMPOTENCY_STORE must name a store, not ${name}`);
  }
}

const reach = readKillPoint(process.env);
const config = readConfig(process.env);
const resources = await openResources(config);
watchTransactions(resources.database.orm, reach);
watchAnnouncements(resources.database.orm, reach);
const idempotency = watchedStore(config, resources);
const app = createApp(config);
if (!('openRecords' in idempotency)) completeAfterHandler(app);
// The shipped server keeps its records only in the database. The plugin accepts any `TtlStore`.
const stores = { ...resources.stores, idempotency: idempotency as IdempotencyStore };
await composeApp(app, config, { ...resources, stores });
await app.ready();
watchAnswers(app, reach);
await app.listen({ host: config.host, port: config.port });
