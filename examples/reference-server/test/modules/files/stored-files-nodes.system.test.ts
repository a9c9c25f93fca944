import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { type App, buildApp } from '../../../src/app.js';
import { readConfig } from '../../../src/config/config.js';
import { type Actor, roomy } from '../../support/accounts.js';
import { sealed } from '../../support/sealed-request.js';
import { credentials } from '../../support/test-app.js';
import { filesBelow, png, textFile, upload } from './uploads.js';

describe('two nodes on PostgreSQL with one folder for files, in mode REQUIRED', () => {
  let database: TestDatabase;
  let folder: string;
  let nodes: App[];
  let headers: Actor['headers'];
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-nodes-'));
    const config = readConfig({
      SERVICE_PROFILE: 'development',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '4',
      SERVICE_NODES: '2',
      SERVICE_DATA_DIR: folder,
      SERVICE_STORAGE_DIR: join(folder, 'shared'),
      SERVICE_DATABASE_URL: database.url,
      SERVICE_API_ENCRYPTION_MODE: 'REQUIRED',
      SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      ...roomy,
    });
    nodes = [await buildApp(config), await buildApp(config)];
    const login = sealed(nodes[0]!, { method: 'POST', url: '/admin/auth/login', payload: credentials });
    const { data } = login.open(await nodes[0]!.inject(login.options)) as { data: { token: string } };
    headers = { authorization: `Bearer ${data.token}` };
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sends a request in an envelope and opens the answer. */
  async function call(node: App, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object): Promise<unknown> {
    const request = sealed(node, { method, url, headers, ...(payload && { payload }) });
    return request.open(await node.inject(request.options));
  }

  it('UPL-9 ENV-2 files are uploaded and served in the clear; all other file routes need an envelope', async () => {
    const [one, other] = nodes as [App, App];
    const response = await upload(one, headers, png, { publicPreview: 'true' });
    expect(response.statusCode).toBe(201);
    const { id } = response.json().data;
    const url = `/admin/storage/files/${id}`;
    expect((await other.inject({ url: `${url}/content`, headers })).rawPayload.equals(png.content)).toBe(true);
    expect((await other.inject({ method: 'HEAD', url: `${url}/content`, headers })).statusCode).toBe(200);
    expect((await other.inject(`/public/storage/preview?id=${id}`)).statusCode).toBe(200);
    const ticket = (await call(one, 'POST', '/auth/tickets', { purpose: 'storage:download', resource: id })) as {
      data: { ticket: string };
    };
    const download = await other.inject(`/public/storage/download?id=${id}&ticket=${ticket.data.ticket}`);
    expect(download.rawPayload.equals(png.content)).toBe(true);
    for (const [method, path] of [
      ['GET', '/admin/storage/files'],
      ['DELETE', url],
    ] as const) {
      expect((await one.inject({ method, url: path, headers })).json()).toMatchObject({ code: 'ENVELOPE_REQUIRED' });
    }
    expect(await call(other, 'GET', '/admin/storage/files')).toMatchObject({ data: [{ id }] });
    const removal = sealed(other, { method: 'DELETE', url, headers });
    expect((await other.inject(removal.options)).statusCode).toBe(204);
    expect((await one.inject({ url: `${url}/content`, headers })).statusCode).toBe(404);
  });

  it('UPL-9 IDM-3 REL-4 exactly one of 30 parallel uploads with the same key on two nodes is stored', async () => {
    const file = textFile(20_000);
    const keyed = { ...headers, 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => upload(nodes[i % 2]!, keyed, file)));
    const codes = answers.map((answer) => (answer.statusCode === 201 ? 'stored' : answer.json().code));
    expect(codes.filter((code) => code === 'stored')).toHaveLength(1);
    for (const code of codes) expect(code).toMatch(/^(?:stored|IDEMPOTENCY_PROCESSING|IDEMPOTENCY_SUBMITTED)$/);
    expect(await filesBelow(join(folder, 'shared'))).toHaveLength(1);
    expect(await call(nodes[0]!, 'GET', '/admin/storage/files')).toMatchObject({ page: { total: 1 } });
  });

  it('UPL-8 the sweep of one node does not touch incoming files of the other', async () => {
    const uploads = Array.from({ length: 10 }, () => upload(nodes[0]!, headers, textFile(500_000)));
    const sweeps = Array.from({ length: 10 }, () => nodes[1]!.storedFiles.sweep());
    const [answers] = await Promise.all([Promise.all(uploads), Promise.all(sweeps)]);
    for (const answer of answers) expect(answer.statusCode).toBe(201);
  });
});
