// `pnpm run bench PRF-8`: measures the size of a live nonce and a live session, as the replay guard and the sign-in
// write them, in the memory store and in Redis. It writes a million of each (`--quick`: 100 000). Redis is started from
// `redis-server` on the PATH. Without it, the Redis rows are skipped with a message.
import { createRedisProcess, redisServerMajor } from '../../../scripts/redis-process.ts';
import { startChild } from './child-process.mjs';
import { isQuick } from './servers-in-turn.mjs';

const COUNT = isQuick ? 100_000 : 1_000_000;

async function weigh(what, store, url) {
  const child = await startChild('./entry-writer.mjs', ['--expose-gc', '--max-old-space-size=8192', '--import', 'tsx']);
  const { bytes, example } = await child.ask({ kind: 'write', what, url, count: COUNT });
  await child.end();
  const each = `${(bytes / COUNT).toFixed(0)} bytes each`;
  process.stdout.write(
    `${what.padEnd(10)}${store.padEnd(14)}${each.padStart(16)}${`${(bytes / 1024 ** 2).toFixed(0)} MB`.padStart(10)}   key and value ${example} bytes\n`,
  );
}

process.stdout.write(`${COUNT} of each\n`);
for (const what of ['nonces', 'sessions']) {
  await weigh(what, 'memory store', null);
  if (redisServerMajor === null) {
    process.stdout.write('no redis-server here: Redis is not measured\n');
    continue;
  }
  const redis = await createRedisProcess();
  await redis.start();
  await weigh(what, 'Redis', redis.url).finally(() => redis.kill());
}
