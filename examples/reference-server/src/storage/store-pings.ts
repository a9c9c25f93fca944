import { pingDatabase } from './database.js';
import type { Resources } from './opened-resources.js';

/** The pings of the stores for health checks. */
export function pingsOf({ database, redis }: Pick<Resources, 'database' | 'redis'>) {
  return {
    database: { name: database.name, ping: (limitMillis: number) => pingDatabase(database, limitMillis) },
    redis: redis && { ping: () => redis.ping() },
  };
}
