import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Systems take the local ports of outgoing connections from above this range. A server listens some seconds after its
// port was chosen, and by then a connection could have taken a port that the system itself had given.
const LOWEST = 10_000;
const HIGHEST = 32_000;

const MAX_ATTEMPTS = 100;

/** Workers of Vitest draw from different ports: each listens some seconds after it has drawn. */
const SHARES = 4;
const share = Number(process.env.VITEST_POOL_ID ?? 0) % SHARES;

/** The ports that this process was given. When several are drawn, none of them is listened on yet. */
const given = new Set();

/**
 * A loopback port that was free a moment ago.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(LOWEST / SHARES, HIGHEST / SHARES) * SHARES + share;
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
