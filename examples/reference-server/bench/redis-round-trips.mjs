// Counts the Redis commands and round trips of each kind of request; run it with `pnpm run bench round-trips`. The
// counts do not depend on the machine, and a test checks them.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedisProcess } from '../../../scripts/redis-process.ts';
import { buildApp } from '../dist/app.js';
import { readConfig } from '../dist/config/config.js';
import { developmentAccount, passwordToSend } from '../dist/modules/administrators/development-account.js';
import { openRedis } from '../dist/storage/redis.js';
import { createStores, openResources } from '../dist/storage/resources.js';
import { sealed } from '../test/support/sealed-request.ts';
import { countRoundTrips, measureRoundTrips, roundTripTable, withOwnTime } from './round-trips.mjs';

const folder = await mkdtemp(join(tmpdir(), 'sallyport-round-trips-'));
const redis = await createRedisProcess();
await redis.start();
const config = readConfig({
  SERVICE_PROFILE: 'development',
  SERVICE_LOG_LEVEL: 'silent',
  SERVICE_DATA_DIR: folder,
  SERVICE_REDIS_URL: redis.url,
  SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
  SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
  SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
});
const resources = await openResources(config);
// The first node sends the messages, so that their round trips are not counted for a request.
const sender = await buildApp(config, resources);
const client = await openRedis(redis.url, false);
const stores = withOwnTime(createStores(config, resources.database, client));
const app = await buildApp({ ...config, 'notification.worker': 'separate' }, { ...resources, redis: client, stores });

const { now } = Date;
let movedMillis = 0;
Date.now = () => now() + movedMillis;

const { username, password } = developmentAccount;
const rows = await measureRoundTrips({
  inject: (call) => app.inject(call),
  take: countRoundTrips(client),
  credentials: { username, password: passwordToSend(password), terminal: 'web' },
  seal: (call) => sealed(app, { ...call, aheadMillis: -movedMillis }).options,
  moveOn(millis) {
    movedMillis += millis;
  },
});

process.stdout.write(`${roundTripTable(rows)}\n`);

await app.close();
await sender.close();
client.disconnect();
await resources.close();
await redis.kill();
await rm(folder, { recursive: true, force: true });
