import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A request whose body is held back: its head and its first bytes have arrived at the server. */
export interface HeldRequest {
  /** Whether it was answered before the rest was sent: the server has judged it by its head. */
  isAnswered(): boolean;
  /** Sends the rest. Resolves to the answer. */
  release(): Promise<HeldAnswer>;
}

export interface HeldAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export interface HoldableRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer;
}

/** Sends the head and the first bytes of the body on a connection of its own. */
export async function holdRequest(
  port: number,
  { method, url, headers, payload }: HoldableRequest,
  heldBytes = 1,
): Promise<HeldRequest> {
  const body = Buffer.from(payload);
  const socket = connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  const own = { ...headers, host: '127.0.0.1', connection: 'close', 'content-length': String(body.length) };
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}`);
  const sent = body.length - heldBytes;
  socket.write(
    Buffer.concat([
      Buffer.from(`${[`${method} ${url} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`),
      body.subarray(0, sent),
    ]),
  );
  let isAnswered = false;
  socket.once('data', () => {
    isAnswered = true;
  });
  const answer = answerOf(socket);
  return {
    isAnswered: () => isAnswered,
    release() {
      socket.write(body.subarray(sent));
      return answer;
    },
  };
}

async function answerOf(socket: Socket): Promise<HeldAnswer> {
  const all = await text(socket);
  const end = all.indexOf('\r\n\r\n');
  const [first = '', ...headers] = all.slice(0, end).split('\r\n');
  return { status: Number(first.split(' ')[1]), headers: headers.join('\n').toLowerCase(), body: all.slice(end + 4) };
}

/** Lets the event loop turn until it is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}
