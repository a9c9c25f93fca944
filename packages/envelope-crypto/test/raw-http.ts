import { connect } from 'node:net';

/** A response as received. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case; a repeated name's values are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | string;
}

/** Writes a request byte for byte, and reads the answer to the end of the connection. */
export function sendRaw(port: number, { method, target, headers, body = '' }: RawRequest): Promise<RawResponse> {
  const bytes = Buffer.from(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: service.test',
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(bytes.length > 0 && !headers.some(([name]) => /^transfer-encoding$/i.test(name))
      ? [`Content-Length: ${bytes.length}`]
      : []),
  ];
  return exchange(port, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]));
}

/** Sends bytes and reads what comes back until the connection ends. */
function exchange(port: number, bytes: Uint8Array): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that closes before it has read everything may reset the connection. The answer until then counts.
    socket.on('error', () => {});
    socket.on('close', () => {
      const text = Buffer.concat(chunks);
      if (text.length === 0) reject(new Error('the connection ended without a response'));
      else resolve(parse(text));
    });
  });
}

function parse(text: Buffer): RawResponse {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.subarray(0, end).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.subarray(end + 4) };
}
