import { chmod, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { pathFault } from './path-fault.js';

/**
 * The channel from a command on the machine to the server with the embedded database, which only one process can open.
 * It is a Unix socket in the data folder. The folder (0700) and the socket (0600) belong to the user that runs the
 * server, and nobody else can connect. Each connection carries one line of JSON in each direction.
 */
const SOCKET = 'control.sock';

/** Requests are small: a name or an address. */
const MAX_LINE_LENGTH = 4096;

/** The time limit of a request and its answer, in milliseconds. */
const LIMIT_MILLIS = 10_000;

/** Some systems limit the path of a socket to 104 bytes, including the NUL at the end. */
const MAX_PATH_BYTES = 103;

/** The answer to a request, or the reason why there is none. */
type Answer = { readonly data: unknown } | { readonly error: string };

export interface ControlChannel {
  close(): Promise<void>;
}

/** No server can answer: none is running, or it has no channel. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError';
}

/** The reason why a data folder can't have a channel. Null if it can. */
export function channelFault(folder: string): string | null {
  if (process.platform === 'win32') return 'Windows has no sockets with the permissions of a folder';
  if (Buffer.byteLength(pathOf(folder)) > MAX_PATH_BYTES)
    return `the path of ${SOCKET} has over ${MAX_PATH_BYTES} bytes`;
  return null;
}

/**
 * Opens the channel of a folder that this process has locked, so a socket that is already there belongs to a process
 * that crashed.
 *
 * @param handle answers a request; the message of its error reaches the command
 */
export async function openControlChannel(
  folder: string,
  handle: (request: unknown) => Promise<unknown>,
): Promise<ControlChannel> {
  const path = pathOf(folder);
  const connections = new Set<Socket>();
  const server = createServer(function serve(socket) {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    // The command has disconnected.
    socket.on('error', () => {});
    answer(socket, handle).catch(() => socket.destroy());
  });
  try {
    await rm(path, { force: true });
    await listen(server, path);
    await chmod(path, 0o600);
  } catch (error) {
    throw pathFault(error, 'SERVICE_DATA_DIR', path);
  }
  return {
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** @throws {NoServerError} */
export async function askServer(folder: string, request: unknown): Promise<unknown> {
  const socket = createConnection(pathOf(folder));
  const text = await exchange(socket, request);
  const answer = JSON.parse(text) as Answer;
  if ('error' in answer) throw new Error(answer.error);
  return answer.data;
}

/** Asks the server, or does itself what was asked if none runs. */
export async function askServerOr<Data>(
  folder: string,
  request: unknown,
  otherwise: () => Promise<Data>,
): Promise<Data> {
  try {
    return (await askServer(folder, request)) as Data;
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    return otherwise();
  }
}

function pathOf(folder: string): string {
  return join(resolve(folder), SOCKET);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(path, () => {
      server.off('error', fail);
      done();
    });
  });
}

async function answer(socket: Socket, handle: (request: unknown) => Promise<unknown>): Promise<void> {
  const line = await readLine(socket);
  const answered: Answer = await Promise.resolve()
    .then(() => handle(JSON.parse(line)))
    .then(
      (data) => ({ data }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
  socket.end(`${JSON.stringify(answered)}\n`);
}

async function exchange(socket: Socket, request: unknown): Promise<string> {
  try {
    await new Promise<void>((done, fail) => {
      socket.once('connect', done);
      socket.once('error', fail);
    });
  } catch (error) {
    throw new NoServerError('No server can be asked', { cause: error });
  }
  socket.on('error', () => {});
  socket.write(`${JSON.stringify(request)}\n`);
  try {
    return await readLine(socket, Number.POSITIVE_INFINITY);
  } finally {
    socket.destroy();
  }
}

/** Rejects if no whole line comes in time. */
function readLine(socket: Socket, maxLength = MAX_LINE_LENGTH): Promise<string> {
  return new Promise((done, fail) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(LIMIT_MILLIS, () => fail(new Error('The other side did not answer in time')));
    socket.once('close', () => fail(new Error('The connection ended before the answer')));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end !== -1) done(text.slice(0, end));
      else if (text.length > maxLength) fail(new Error('The line is too long'));
    });
  });
}
