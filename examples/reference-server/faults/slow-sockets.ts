import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a client does slowly. */
export type Slowness = 'headers' | 'body' | 'reading';

const slownesses: readonly Slowness[] = ['headers', 'body', 'reading'];

/** The interval between the bytes that a slow sender sends, so that its connection is not idle. */
const TRICKLE_MILLIS = 1000;

/**
 * Connections open gradually, so that they are also closed gradually: the test measures held connections, not a burst.
 */
const ARRIVAL_MILLIS = 20;

/** Clients that hold connections as long as the server permits, and reconnect when closed. */
export interface SlowClients {
  /** The number of connections that the server has closed so far. */
  closed(slowness: Slowness): number;
  /** The status lines that slow senders received, such as `HTTP/1.1 408 Request Timeout`. */
  told(): ReadonlySet<string>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface SlowTarget {
  readonly port: number;
  /**
   * The request line and headers of a request for a large answer, without the final blank line. The client does not
   * read it.
   */
  readonly largeRequest: string;
}

/** Opens `ofEach` clients of each kind, and resolves when they are connected. */
export async function openSlowClients(target: SlowTarget, ofEach: number): Promise<SlowClients> {
  const open = new Set<Socket>();
  const told = new Set<string>();
  const closed: Record<Slowness, number> = { headers: 0, body: 0, reading: 0 };
  let isOver = false;

  async function hold(slowness: Slowness): Promise<void> {
    const socket = connect(target.port, '127.0.0.1');
    open.add(socket);
    socket.on('error', () => {});
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    if (slowness === 'reading') socket.pause();
    else socket.on('data', (bytes) => told.add(String(bytes).split('\r\n', 1)[0]!));
    await Promise.race([once(socket, 'connect').catch(() => {}), gone]);
    socket.write(beginning(slowness, target));
    const trickle = slowness === 'reading' ? undefined : setInterval(() => socket.write(' '), TRICKLE_MILLIS);
    void gone.then(async () => {
      clearInterval(trickle);
      open.delete(socket);
      if (isOver) return;
      closed[slowness] += 1;
      await sleep(10);
      if (!isOver) await hold(slowness);
    });
  }

  for (let count = 0; count < ofEach; count += 1) {
    await Promise.all(slownesses.map(hold));
    await sleep(ARRIVAL_MILLIS);
  }
  return {
    closed: (slowness) => closed[slowness],
    told: () => told,
    async close() {
      isOver = true;
      await Promise.all(
        [...open].map((socket) => {
          const gone = new Promise((resolve) => socket.once('close', resolve));
          socket.destroy();
          return socket.closed ? null : gone;
        }),
      );
    },
  };
}

function beginning(slowness: Slowness, { largeRequest }: SlowTarget): string {
  switch (slowness) {
    case 'headers':
      return 'GET /actuator/health HTTP/1.1\r\nHost: slow\r\nX-Half: ';
    case 'body':
      return 'POST /admin/auth/login HTTP/1.1\r\nHost: slow\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{';
    case 'reading':
      return `${largeRequest}\r\nHost: slow\r\n\r\n`;
  }
}
