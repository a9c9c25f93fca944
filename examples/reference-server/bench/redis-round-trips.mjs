// Counts the Redis commands and round trips of each kind of request, and its statements on PostgreSQL; run it with
// `pnpm run bench round-trips`. The counts do not depend on the machine, and tests check them.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresProcess } from '../../../scripts/postgres-process.ts';
import { createRedisProcess } from '../../../scripts/redis-process.ts';
import { buildApp } from '../dist/app.js';
import { readConfig } from '../dist/config/config.js';
import { developmentAccount, passwordToSend } from '../dist/modules/administrators/development-account.js';
import { openRedis } from '../dist/storage/redis.js';
import { createStores, openResources } from '../dist/storage/resources.js';
import { sealed } from '../test/support/sealed-request.ts';
import { countRoundTrips, measureRoundTrips, roundTripTable, withOwnTime } from './round-trips.mjs';
import { countStatements, statementTable } from './statement-counts.mjs';

const folder = await mkdtemp(join(tmpdir(), 'sallyport-round-trips-'));
const database = await startPostgresProcess();
const redis = await createRedisProcess();
await redis.start();
const config = readConfig({
  SERVICE_PROFILE: 'development',
  SERVICE_LOG_LEVEL: 'silent',
  SERVICE_DATA_DIR: folder,
  SERVICE_DATABASE_URL: database.url,
  SERVICE_REDIS_URL: redis.url,
  SERVICE_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints'),
  SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
  SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
  SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
});
const resources = await openResources(config);
// The first node sends the messages, so that their round trips are not counted for a request.
const sender = await buildApp(config, resources);
const client = await openRedis(redis.url, false);
const takeRoundTrips = countRoundTrips(client);
const stores = withOwnTime(createStores(config, resources.database, client));
const app = await buildApp({ ...config, 'notification.worker': 'separate' }, { ...resources, redis: client, stores });

const { now } = Date;
let movedMillis = 0;
Date.now = () => now() + movedMillis;

const { username, password } = developmentAccount;
const statements = countStatements();
const rows = await measureRoundTrips({
  inject: (call) => statements.during(async () => app.inject(call)),
  take: () => ({ ...takeRoundTrips(), ...statements.take() }),
  credentials: { username, password: passwordToSend(password), terminal: 'web' },
  seal: (call) => sealed(app, { ...call, aheadMillis: -movedMillis }).options,
  moveOn(millis) {
    movedMillis += millis;
  },
});

process.stdout.write(`${roundTripTable(rows)}\n\n${statementTable(rows)}\n`);

await app.close();
await sender.close();
client.disconnect();
await resources.close();
await redis.kill();
await database.stop();
await rm(folder, { recursive: true, force: true });
