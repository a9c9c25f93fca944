import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';

/** A proxy in front of PostgreSQL that can turn commits into rollbacks, as a pooler that loses a transaction does. */
export interface CommitProxy {
  /** The given URL of PostgreSQL, by way of the proxy. */
  readonly url: string;
  /** How many commits became rollbacks. */
  readonly turned: number;
  /** From now on every commit becomes a rollback, or none. A commit that was prepared before is not seen. */
  turnCommits(isTurning: boolean): void;
  /** From now on the connection ends after the answer to each commit, or after none. */
  cutAfterCommits(isCutting: boolean): void;
  /** Cuts every open connection. */
  cut(): void;
  close(): Promise<void>;
}

/** A commit, as the text of a query of either protocol: after the name of the statement in the extended one. */
const COMMIT = /^commit\b/i;

/** PostgreSQL's messages that carry a statement: the simple query, and the parsing of a prepared one. */
const QUERY = 'Q';
const PARSE = 'P';

/** Bytes of the type of a message, and of its length, which counts itself and not the type. */
const TYPE = 1;
const HEADER = 5;

export async function startCommitProxy(url: string): Promise<CommitProxy> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let isTurning = false;
  let isCutting = false;
  let turned = 0;

  function turn(message: Buffer): Buffer {
    const type = message.toString('latin1', 0, TYPE);
    if (type !== QUERY && type !== PARSE) return message;
    const start = type === QUERY ? HEADER : message.indexOf(0, HEADER) + 1;
    const end = message.indexOf(0, start);
    const text = message.toString('utf8', start, end);
    if (!isTurning || !COMMIT.test(text)) return message;
    turned += 1;
    const turnedText = Buffer.from(text.replace(COMMIT, 'rollback'));
    const result = Buffer.concat([message.subarray(0, start), turnedText, message.subarray(end)]);
    result.writeInt32BE(result.length - TYPE, TYPE);
    return result;
  }

  const server = createServer({ noDelay: true }, (client) => {
    const backend = createConnection({ host: hostname, port: Number(port), noDelay: true });
    let hasStarted = false;
    let rest: Buffer = Buffer.alloc(0);
    client.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        // The first message has no type.
        const lengthAt = hasStarted ? TYPE : 0;
        const length = rest.length < lengthAt + 4 ? Infinity : lengthAt + rest.readInt32BE(lengthAt);
        if (rest.length < length) return;
        const message = rest.subarray(0, length);
        rest = rest.subarray(length);
        backend.write(hasStarted ? turn(message) : message);
        hasStarted = true;
      }
    });
    backend.on('data', (bytes) => {
      client.write(bytes);
      if (isCutting && bytes.includes('COMMIT\0')) client.destroySoon();
    });
    for (const [one, other] of [[client, backend] as const, [backend, client] as const]) {
      open.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as { port: number };
  const cut = () => {
    for (const socket of open) socket.destroy();
  };

  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(ownPort) }).href,
    get turned() {
      return turned;
    },
    turnCommits(given) {
      isTurning = given;
    },
    cutAfterCommits(given) {
      isCutting = given;
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
