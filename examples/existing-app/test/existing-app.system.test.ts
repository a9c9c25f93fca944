import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type ExampleProcess, startExample } from '../../../scripts/example-process.js';
import { writeTestEmbedded } from '../../../scripts/test-embedded.js';
import { folderOf, STATES, writeStates } from './states.js';

type Settings = Readonly<Record<'DATA_DIR' | 'AUDIT_FILE' | 'RECEIPTS_DIR', string>>;

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const [BEFORE, , , , AFTER] = STATES;

let emptyDatabase: string;
beforeAll(async () => {
  writeStates();
  emptyDatabase = await mkdtemp(join(tmpdir(), 'existing-app-database-'));
  await writeTestEmbedded(emptyDatabase);
});
afterAll(() => rm(emptyDatabase, { recursive: true }));

describe('the diffs of the README', () => {
  test('EXM-1 lead from a plain application to the one in src, file by file', async () => {
    const before = await readSources(BEFORE);
    expect(Object.keys(before)).toContain('routes/orders.ts');
    expect(JSON.stringify(before)).not.toContain('@sallyport');
    expect(await readSources(AFTER)).toEqual(await readSources('existing-app'));
  });

  // `tsc -b` compiles the application in src.
  test.each(STATES.slice(0, -1))('EXM-1 %s compiles under strict', { timeout: 90_000 }, async (state) => {
    await promisify(execFile)(process.execPath, [compiler, '-p', folderOf(state)]);
  });
});

// The state after the last diff is that of src, which the first test compares.
describe.each([
  { step: 0, start: (settings: Settings) => startExample(STATES[0], settings) },
  { step: 1, start: (settings: Settings) => startExample(STATES[1], settings) },
  { step: 2, start: (settings: Settings) => startExample(STATES[2], settings) },
  { step: 3, start: (settings: Settings) => startExample(STATES[3], settings) },
  // With a database of its own, in memory.
  { step: 4, start: ({ DATA_DIR: _, ...settings }: Settings) => startExample('existing-app', settings) },
])('the application after $step steps', { timeout: 90_000 }, ({ step, start }) => {
  let folder: string;
  let server: ExampleProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'existing-app-'));
    const [data, audit, receipts] = ['data', 'audit.ndjson', 'receipts'].map((name) => join(folder, name));
    await cp(emptyDatabase, data as string, { recursive: true });
    server = await start({ DATA_DIR: data, AUDIT_FILE: audit, RECEIPTS_DIR: receipts } as Settings);
  }, 90_000);
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function call(path: string, { headers, body }: { headers?: Record<string, string>; body?: object } = {}) {
    const content = body instanceof FormData ? body : JSON.stringify(body);
    const type = body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: content as string | FormData };
    const response = await fetch(server.origin + path, { ...sent, headers: { ...type, ...headers } });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text };
  }
  const signIn = (username: string, password: string) => call('/login', { body: { username, password } });
  const token = async () => ({ authorization: `Bearer ${(await signIn('ada', 'correct horse')).body.token}` });

  it('EXM-1 keeps @fastify/jwt and @fastify/swagger-ui', async () => {
    expect((await call('/orders')).body.code).toBe('FST_JWT_NO_AUTHORIZATION_IN_HEADER');
    expect((await signIn('ada', 'wrong')).status).toBe(401);
    expect((await call('/orders', { headers: await token() })).status).toBe(200);
    expect((await call('/documentation/')).body).toContain('swagger-ui');
    const { body } = await call('/documentation/json');
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/login', '/orders']));
  });

  const once = step >= 2;
  it(`EXM-1 a retry under one key places ${once ? 'one order' : 'two orders'}`, async () => {
    const headers = { ...(await token()), 'idempotency-key': randomUUID() };
    const order = { headers, body: { item: 'Tea' } };
    expect(await call('/orders', order)).toMatchObject({ status: 201, body: { item: 'Tea' } });
    expect(await call('/orders', order)).toMatchObject(
      once ? { status: 409, body: { code: 'IDEMPOTENCY_SUBMITTED' } } : { status: 201 },
    );
    expect((await call('/orders', { headers })).body).toHaveLength(once ? 1 : 2);
  });

  const counts = step >= 3;
  it(`EXM-1 the sixth guess of a password is ${counts ? 'refused' : 'checked as the first'}`, async () => {
    for (let i = 0; i < 5; i += 1) expect((await signIn('eve', `guess ${i}`)).status).toBe(401);
    expect(await signIn('eve', 'guess 6')).toMatchObject(
      counts ? { status: 429, body: { code: 'LOGIN_LOCKED' } } : { status: 401 },
    );
    expect((await signIn('ada', 'correct horse')).status).toBe(200);
  });

  const uploads = step >= 4;
  it(`EXM-1 ${uploads ? 'takes a receipt, and refuses one that is not what it says' : 'takes no receipt'}`, async () => {
    const send = (name: string, type: string, headers: Record<string, string>) => {
      const body = new FormData();
      body.set('file', new File(['two cups, 5.40'], name, { type }));
      return call('/receipts', { headers, body });
    };
    const headers = await token();
    const right = await send('receipt.txt', 'text/plain', headers);
    if (!uploads) return expect(right.status).toBe(404);

    expect(right).toEqual({ status: 201, body: { fileName: 'receipt.txt', mediaType: 'text/plain; charset=utf-8' } });
    expect(await send('receipt.png', 'image/png', headers)).toMatchObject({
      status: 415,
      body: { code: 'UPLOAD_TYPE_REFUSED' },
    });
    expect((await send('receipt.txt', 'text/plain', {})).status).toBe(401);
    expect(await readdir(join(folder, 'receipts'))).toHaveLength(1);
  });

  const recorded = step >= 1;
  it(`EXM-1 records ${recorded ? 'who did what, without passwords' : 'nothing'}`, async () => {
    const headers = { ...(await token()), 'idempotency-key': randomUUID() };
    await call('/orders', { headers, body: { item: 'Cake' } });
    const text = await readFile(join(folder, 'audit.ndjson'), 'utf8').catch(() => null);
    if (!recorded) return expect(text).toBeNull();

    const records = (text ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const body = { item: 'Cake' };
    const created = { action: 'order.create', actor: 'ada', outcome: 'success', parameters: { body } };
    expect(records).toContainEqual(expect.objectContaining(created));
    expect(records).toContainEqual(expect.objectContaining({ action: 'session.begin', outcome: 'success' }));
    expect(text).not.toContain('correct horse');
    expect(text).not.toContain('/documentation');
  });
});

async function readSources(place: string): Promise<Record<string, string>> {
  const folder = fileURLToPath(new URL(`../../${place}/src/`, import.meta.url));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = paths.map(async (path) => [path.slice(folder.length), await readFile(path, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}
