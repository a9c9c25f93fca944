import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { type ServerProcess, startServer } from '../../../faults/server-process.js';
import { formWith } from './multipart.js';
import { beginUpload } from './raw-upload.js';
import { filesBelow, textFile } from './uploads.js';

const MEGABYTE = 1024 * 1024;

/** UP-20: the bound of the server's peak memory, in bytes. */
const MAX_MEMORY = 400 * MEGABYTE;

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

// Each test builds and starts a server, which is slow on a busy machine.
describe('uploads to a server process', { timeout: 300_000 }, () => {
  let database: TestDatabase;
  let folder: string;
  let servers: ServerProcess[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  // One of its own: what a failed test leaves is not counted by the next.
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-uploads-'));
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    servers = [];
    await rm(folder, { recursive: true, force: true });
  });
  afterAll(() => database.drop());

  async function start(
    environment: Record<string, string> = {},
  ): Promise<{ server: ServerProcess; headers: { authorization: string } }> {
    const server = await startServer({ SERVICE_DATA_DIR: folder, ...environment });
    servers.push(server);
    const { status, body } = await server.signIn();
    expect({ status, code: body.code }).toEqual({ status: 200, code: undefined });
    return { server, headers: { authorization: `Bearer ${body.data?.token}` } };
  }

  /** The peak resident memory of a process, in bytes; 0 if the system does not report it. */
  async function peakMemory(pid: number): Promise<number> {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/VmHWM:\s+([0-9]+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }

  it('UP-20 PRF-7 50 parallel uploads of 5 MB are all stored correctly, in bounded memory', async () => {
    // The embedded database alone takes more memory than the bound.
    // All 50 arrive together, so on a busy machine each of them takes longer than a request may by default.
    const { server, headers } = await start({
      SERVICE_DATABASE_URL: database.url,
      SERVICE_REQUEST_TIMEOUT_SECONDS: '300',
    });
    const file = textFile(5 * MEGABYTE);
    const { headers: form, payload } = formWith(file);
    const contentStart = payload.indexOf(file.content);
    async function uploadOne(i: number): Promise<[string, string]> {
      // Distinct contents, without holding 250 MB in this process.
      const parts = [Buffer.from(`${String(i).padStart(8)}`), file.content.subarray(8)];
      const request = httpRequest(`${server.origin}/admin/storage/files`, {
        method: 'POST',
        headers: { ...headers, ...form, 'content-length': payload.length },
      });
      // `fetch` sends the head with the first part of the body, on a busy machine after the server's limit for heads.
      request.flushHeaders();
      request.write(payload.subarray(0, contentStart));
      request.write(parts[0]);
      request.end(payload.subarray(contentStart + 8));
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const { data, code } = (await json(response)) as { data: { id: string; sha256: string }; code?: string };
      expect([response.statusCode, code]).toEqual([201, undefined]);
      const content = await fetch(`${server.origin}/admin/storage/files/${data.id}/content`, { headers });
      const sent = sha256(Buffer.concat(parts));
      expect([data.sha256, sha256(Buffer.from(await content.arrayBuffer()))]).toEqual([sent, sent]);
      return [data.id, sent];
    }
    const uploaded = await Promise.all(Array.from({ length: 50 }, (_, i) => uploadOne(i)));
    expect(new Set(uploaded.map(([, hash]) => hash)).size).toBe(50);
    expect(await filesBelow(join(folder, 'files'))).toHaveLength(50);
    expect(await peakMemory(server.pid)).toBeLessThan(MAX_MEMORY);
    for (const [id] of uploaded) {
      const options = { method: 'DELETE', token: headers.authorization.slice('Bearer '.length) };
      expect((await server.call(`/admin/storage/files/${id}`, options)).status).toBe(204);
    }
  });

  it('UPL-8 a server that is killed during uploads removes their remains at the next start', async () => {
    const { server, headers } = await start();
    const answers: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const socket = await beginUpload(server.origin, headers, textFile(100_000));
      socket.on('data', (answer) => answers.push(String(answer)));
    }
    const files = () => filesBelow(join(folder, 'files'));
    // An answer during an upload is a refusal with a reason.
    await expect
      .poll(async () => ({ files: (await files()).length, answers }), { timeout: 30_000 })
      .toEqual({ files: 5, answers: [] });
    await server.kill();
    expect(await files()).toHaveLength(5);
    const again = await start();
    expect(await files()).toEqual([]);
    const list = await again.server.call('/admin/storage/files', { token: again.headers.authorization.slice(7) });
    expect(list.body).toMatchObject({ data: [], page: { total: 0 } });
  });
});
