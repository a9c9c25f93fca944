// What the commands of a page connect to.
import postgres from 'postgres';
import { startPostgresProcess } from './postgres-process.ts';
import { createRedisProcess, redisServerMajor } from './redis-process.ts';

/** PostgreSQL and Redis, started when a page needs them. */
export function createServices() {
  let database = null;
  const redis = [];
  let count = 0;
  return {
    async createDatabase() {
      database ??= await startPostgresProcess('-c', 'fsync=off');
      count += 1;
      const admin = postgres(database.url, { max: 1 });
      await admin.unsafe(`create database reader_${count}`);
      await admin.end();
      return Object.assign(new URL(database.url), { pathname: `/reader_${count}` }).href;
    },
    /** Resolves to an empty string on a machine without `redis-server`. */
    async startRedis() {
      if (redisServerMajor === null) return '';
      const started = await createRedisProcess();
      redis.push(started);
      await started.start();
      return started.url;
    },
    async stop() {
      await Promise.all([database?.stop(), ...redis.map((each) => each.kill())]);
    },
  };
}
