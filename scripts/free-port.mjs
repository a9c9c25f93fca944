import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Systems take the local ports of outgoing connections from above this range. A server listens some seconds after its
// port was chosen, and by then a connection could have taken a port that the system itself had given.
const LOWEST = 10_000;
const HIGHEST = 32_000;

const MAX_ATTEMPTS = 100;

/** The ports that this process was given. Whoever draws several listens on none of them yet. */
const given = new Set();

/**
 * A loopback port that was free a moment ago.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (given.has(port)) continue;
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    given.add(port);
    return port;
  }
}
