import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type FormFile, formWith } from './multipart.js';

/** Sends the head and the first half of an upload over its own socket. The caller sends the rest. */
export async function beginUpload(
  origin: string,
  headers: { readonly authorization: string },
  file: FormFile,
): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const { headers: type, payload } = formWith(file);
  const lines = Object.entries({ host: 'test', ...headers, ...type, 'content-length': payload.length });
  const socket = connect(Number(port), hostname);
  // A crashing server resets the connection.
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST /admin/storage/files HTTP/1.1\r\n${head}\r\n`);
  socket.write(payload.subarray(0, payload.length / 2));
  return socket;
}
