import { randomUUID } from 'node:crypto';
import { startFleet } from '../node.js';
import { observe } from '../observed-run.js';
import { redisUrlFor, type Scenario } from './scenario.js';

const LEASE_SECONDS = 10;
const RETRIES = 20;

/**
 * The longest time until the hang-up, in milliseconds. At 0 the server has not read the body. Later the handler is
 * running, or the answer is about to be sent.
 */
const LATEST_HANG_UP_MILLIS = 30;

/** ID-23: a client repeatedly closes its socket after sending a request, and then asks for the outcome. */
export const id23: Scenario = {
  name: 'id-23',
  meaning: `a client that hangs up after sending and retries ${RETRIES} times`,
  stores: ['postgres', 'redis', 'postgres-ttl', 'memory'],
  async run({ databaseUrl, redis, store, say }, { keys }) {
    const nodes = store === 'memory' ? 1 : 2;
    const redisUrl = redisUrlFor({ store, redis });
    const fleet = await startFleet({ databaseUrl, redisUrl, store, leaseSeconds: LEASE_SECONDS, nodes });
    try {
      const token = await fleet.signIn();
      const fault = `hang up ${RETRIES} times`;
      say(`${fault}, ${keys} keys`);
      const finding = await observe({ scenario: 'ID-23', fault, store, fleet, databaseUrl, token }, async (client) => {
        for (let count = 0; count < keys; count += 1) {
          const key = randomUUID();
          for (let retry = 0; retry < RETRIES; retry += 1) {
            const { origin } = fleet.nodes[retry % nodes]!;
            await client.hangUp(key, origin, Math.random() * LATEST_HANG_UP_MILLIS);
          }
          await client.submit(key);
        }
        return { times: keys };
      });
      return [finding];
    } finally {
      await fleet.close();
    }
  },
};
