import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import { multipartBody, multipartHeaders } from './multipart-body.js';
import { createUploadApp, type UploadApp } from './upload-app.js';

const MEGABYTE = 1024 * 1024;
const PATIENT = { timeout: 15_000, interval: 20 };

async function listen(upload: UploadApp): Promise<number> {
  await upload.app.listen({ host: '127.0.0.1', port: 0 });
  return (upload.app.server.address() as AddressInfo).port;
}

function open(port: number, headers: Record<string, string | number> = {}): ClientRequest {
  const sent = request({ port, path: '/files', method: 'POST', headers: { ...multipartHeaders, ...headers } });
  sent.on('error', () => {});
  return sent;
}

function answerTo(sent: ClientRequest): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response: IncomingMessage) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
  });
}

/** A form that ends within its file. */
const begin = (fileName: string, mediaType: string) =>
  multipartBody([{ fileName, mediaType, bytes: '' }])
    .toString('latin1')
    .split('\r\n--')
    .at(0)!;

/** Sends a chunked body as fast as possible, ignoring the answer, until the connection ends. */
function sendForEver(port: number, start: string): Promise<{ readonly answer: string; readonly bytes: number }> {
  const socket = connect(port, '127.0.0.1');
  const content = Buffer.alloc(65_536, 'text ');
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), content, Buffer.from('\r\n')]);
  const head = `POST /files HTTP/1.1\r\nHost: x\r\nContent-Type: ${multipartHeaders['content-type']}\r\n`;
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${Buffer.byteLength(start).toString(16)}\r\n${start}\r\n`);
  let answer = '';
  const send = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', send);
  send();
  socket.setEncoding('latin1').on('data', (piece: string) => {
    answer += piece;
  });
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.once('close', () => resolve({ answer, bytes: socket.bytesWritten }));
  });
}

describe('over real sockets', () => {
  it.each([
    ['within its file', begin('a.txt', 'text/plain')],
    ['before its first boundary', 'x\r\n'],
    ['within the head of a part', begin('a.txt', 'text/plain').slice(0, -20)],
    [
      'within a field',
      multipartBody([{ name: 'a', bytes: 'x' }])
        .toString('latin1')
        .split('x\r\n--')[0]!,
    ],
  ])(
    'UPL-2 UP-03 an endless body %s is refused while it is sent, cut soon after, and leaves nothing',
    async (_where, start) => {
      const upload = await createUploadApp({ policy: { maxSizeMb: 1 } });
      const { answer, bytes } = await sendForEver(await listen(upload), start);
      expect(Number(answer.split(' ', 2)[1])).toBe(413);
      // The server reads on for a while, so that the client sees the answer.
      expect(bytes).toBeLessThan(64 * MEGABYTE);
      expect(upload.left()).toEqual([]);
    },
  );

  it('UPL-2 UP-03 a Content-Length that is too large is refused before a byte is read', async () => {
    const upload = await createUploadApp({ policy: { maxSizeMb: 1 } });
    const sent = open(await listen(upload), { 'content-length': 100 * MEGABYTE });
    const answer = answerTo(sent);
    sent.flushHeaders();
    expect((await answer).status).toBe(413);
    sent.destroy();
  });

  it('UPL-3 a refused name is refused before the body arrives, and the connection stays usable', async () => {
    const upload = await createUploadApp();
    const port = await listen(upload);
    const body = multipartBody([{ fileName: 'a.exe', mediaType: 'text/plain', bytes: Buffer.alloc(3 * MEGABYTE) }]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; n < 3; n++) {
      const sent = request({
        port,
        path: '/files',
        method: 'POST',
        agent,
        headers: { ...multipartHeaders, 'content-length': body.length },
      });
      const answer = answerTo(sent);
      sent.end(body);
      expect((await answer).status).toBe(415);
    }
    expect(Object.values(agent.freeSockets).flat().length + Object.values(agent.sockets).flat().length).toBe(1);
    agent.destroy();
    expect(upload.left()).toEqual([]);
  });

  it.skipIf(lacks('linux'))(
    'UPL-8 REL-7 UP-13 two hundred broken uploads leave no file and no descriptor',
    async () => {
      const upload = await createUploadApp();
      const port = await listen(upload);
      const descriptors = () => readdirSync('/proc/self/fd').length;
      const before = descriptors();
      const start = Buffer.from(begin('a.txt', 'text/plain'), 'latin1');
      for (let round = 0; round < 10; round++) {
        const broken = Array.from({ length: 20 }, () => open(port, { 'content-length': 5 * MEGABYTE }));
        for (const [index, sent] of broken.entries()) {
          sent.write(start.subarray(0, index === 0 ? 20 : start.length));
          if (index > 1) sent.write(Buffer.alloc(index * 40_000, 'a'));
        }
        // The last of them is on the disk before they break off.
        await vi.waitFor(() => expect(upload.left().length).toBeGreaterThan(15), PATIENT);
        for (const sent of broken) sent.destroy();
        await vi.waitFor(() => expect(upload.left()).toEqual([]), PATIENT);
      }
      await vi.waitFor(() => expect(descriptors()).toBeLessThanOrEqual(before + 2), PATIENT);
      const sent = open(port);
      const answer = answerTo(sent);
      sent.end(multipartBody([{ fileName: 'a.txt', mediaType: 'text/plain', bytes: 'text' }]));
      expect((await answer).status).toBe(200);
    },
  );

  it('UPL-2 PRF-7 with a slow disk, twenty uploads of five megabytes wait at the clients', async () => {
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sockets = new Set<Socket>();
    const upload = await createUploadApp({}, (destination) => ({
      ...destination,
      write: async (stream) => {
        await gate;
        return destination.write(stream);
      },
    }));
    upload.app.server.on('connection', (socket) => sockets.add(socket));
    const port = await listen(upload);
    const body = multipartBody([
      { fileName: 'a.txt', mediaType: 'text/plain', bytes: Buffer.alloc(5 * MEGABYTE, 'text ') },
    ]);
    const answers = Array.from({ length: 20 }, async () => {
      const sent = open(port);
      const answer = answerTo(sent);
      sent.end(body);
      return (await answer).status;
    });
    const taken = () => [...sockets].map(({ bytesRead }) => bytesRead);
    // Wait until every upload has started and none has progressed for half a second.
    let before: number[] = [];
    let calm = 0;
    await vi.waitFor(() => {
      const now = taken();
      calm = now.length === 20 && Math.min(...now) > 1000 && now.join() === before.join() ? calm + 1 : 0;
      before = now;
      expect(calm).toBeGreaterThan(25);
    }, PATIENT);
    expect(Math.max(...taken())).toBeLessThan(MEGABYTE / 2);
    release();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(upload.stored.map(({ size }) => size)).toEqual(Array.from({ length: 20 }, () => 5 * MEGABYTE));
  });

  it('UPL-8 UP-20 of fifty concurrent uploads each is stored completely', async () => {
    const upload = await createUploadApp();
    const port = await listen(upload);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const sent = open(port);
        const answer = answerTo(sent);
        const bytes = Buffer.alloc(MEGABYTE, `${n} `);
        sent.end(multipartBody([{ fileName: `${n}.txt`, mediaType: 'text/plain', bytes }]));
        return { ...JSON.parse((await answer).body), expected: sha256(bytes) };
      }),
    );
    for (const { sha256: received, expected, size } of answers) expect([received, size]).toEqual([expected, MEGABYTE]);
    expect(upload.left()).toHaveLength(50);
  });
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
