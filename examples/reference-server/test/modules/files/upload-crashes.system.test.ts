import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { type KillPoint, killPoints, uploadPoints } from '../../../faults/server/kill-point.js';
import { type ServerProcess, startServer } from '../../../faults/server-process.js';
import type { FormFile } from './multipart.js';
import { type ObjectStore, openObjectStore } from './object-store.js';
import { filesBelow, textFile } from './uploads.js';

const WITH_KILL_POINTS = new URL('../../../faults/dist/server-with-kill-points.js', import.meta.url);

const LEASE_SECONDS = 2;

/** IDM-11: a retry is answered definitely within the lease and ten seconds. */
const ANSWER_MILLIS = (LEASE_SECONDS + 10) * 1000;

const EVERY_POINT: readonly KillPoint[] = [...killPoints, ...uploadPoints];

/** The points at which the kinds differ. */
const STORAGE_POINTS: readonly KillPoint[] = [...uploadPoints, 'before-commit', 'after-commit'];

/** The points after the commit: the retry is told that the upload is done. */
const COMMITTED: readonly KillPoint[] = ['after-commit', 'before-answer'];

type Environment = Readonly<Record<string, string>>;

/** An upload whose server was killed, and the answer to its retry. */
interface Attempt {
  readonly point: KillPoint;
  readonly key: string;
  readonly file: FormFile;
}

const kinds = [
  { kind: 'PostgreSQL and a folder', points: EVERY_POINT },
  { kind: 'PostgreSQL and S3', points: STORAGE_POINTS },
  { kind: 'the embedded database', points: STORAGE_POINTS },
] as const;

// kill -9 at every step of an upload.
describe.each(kinds)('IDM-11 AUD-8 uploads on $kind', { timeout: 400_000 }, ({ kind, points }) => {
  let folder: string;
  let database: TestDatabase | null;
  let pool: ReturnType<TestDatabase['connect']>['$client'] | null;
  let objects: ObjectStore | null;
  let environment: Environment;
  const servers: ServerProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-crashes-'));
    database = kind === 'the embedded database' ? null : await createTestDatabase();
    pool = database === null ? null : database.connect({ max: 1 }).$client;
    objects = kind === 'PostgreSQL and S3' ? await openObjectStore() : null;
    environment = {
      FAULT_IDEMPOTENCY_STORE: 'postgres',
      SERVICE_DATA_DIR: folder,
      SERVICE_AUDIT_CHAIN_KEY: `test:${randomBytes(32).toString('hex')}`,
      SERVICE_IDEMPOTENCY_LEASE_SECONDS: String(LEASE_SECONDS),
      SERVICE_NODES: database === null ? '1' : '2',
      SERVICE_STORAGE_DIR: join(folder, 'files'),
      ...(database !== null && { SERVICE_DATABASE_URL: database.url }),
      ...objects?.environment,
    };
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.kill()));
    await database?.drop();
    await objects?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(armed?: KillPoint, pass = 1): Promise<ServerProcess> {
    const fault = armed === undefined ? {} : { FAULT_POINT: armed, FAULT_PASS: `${pass}` };
    const server = await startServer({ ...environment, ...fault }, { entry: WITH_KILL_POINTS });
    servers.push(server);
    return server;
  }

  async function tokenOf(server: ServerProcess): Promise<string> {
    const { status, body } = await server.signIn();
    expect(status).toBe(200);
    return String(body.data?.token);
  }

  /** The status and the code of an upload; null if the server died before it answered. */
  async function send({ origin }: ServerProcess, token: string, { key, file }: Attempt): Promise<string | null> {
    const form = new FormData();
    form.append('file', new Blob([file.content as Buffer<ArrayBuffer>], { type: file.type }), file.name);
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
    const request = { method: 'POST', headers, body: form };
    const response = await fetch(`${origin}/admin/storage/files`, request).catch(() => null);
    if (response === null) return null;
    const { code = '' } = (await response.json()) as { code?: string };
    return `${response.status} ${code}`.trim();
  }

  async function retryUntilDefinite(server: ServerProcess, token: string, attempt: Attempt): Promise<string> {
    const deadline = Date.now() + ANSWER_MILLIS;
    for (;;) {
      const answer = await send(server, token, attempt);
      if (answer !== '409 IDEMPOTENCY_PROCESSING') return String(answer);
      if (Date.now() > deadline) return `${attempt.point}: no definite answer within ${ANSWER_MILLIS} ms`;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  async function rowsOf<Row>(query: string): Promise<Row[]> {
    if (pool !== null) return (await pool.unsafe(query)) as unknown as Row[];
    const embedded = await PGlite.create(join(folder, 'pglite'));
    try {
      return (await embedded.query<Row>(query)).rows;
    } finally {
      await embedded.close();
    }
  }

  async function contents(): Promise<string[]> {
    const local = await filesBelow(join(folder, 'files'));
    return [...local, ...((await objects?.keys()) ?? [])].sort();
  }

  it('IDM-11 AUD-8 UPL-8 REL-1 kill -9 at every step: one file, one record, a definite answer, and no content is left', async () => {
    const attempts: Attempt[] = points.map((point) => ({
      point,
      key: randomUUID(),
      file: textFile(2000, `${point}.txt`),
    }));
    const survivor = database === null ? null : await start();
    const retries: Record<string, string> = {};
    const retry = async (server: ServerProcess, attempt: Attempt) => {
      retries[attempt.point] = await retryUntilDefinite(server, await tokenOf(server), attempt);
    };
    // The other node retries, or the next process on the same folder, which dies afterwards: the upload that it repeats
    // passes its point once. A start of the embedded database takes seconds.
    let unanswered: Attempt | null = null;
    for (const attempt of attempts) {
      const armed = await start(attempt.point, unanswered === null ? 1 : 2);
      if (unanswered !== null) await retry(armed, unanswered);
      expect([attempt.point, await send(armed, await tokenOf(armed), attempt)]).toEqual([attempt.point, null]);
      await armed.ended;
      if (survivor === null) unanswered = attempt;
      else await retry(survivor, attempt);
    }
    if (unanswered !== null) {
      const next = await start();
      await retry(next, unanswered);
      await next.kill();
    }
    expect(retries).toEqual(
      Object.fromEntries(
        points.map((point) => [point, COMMITTED.includes(point) ? '409 IDEMPOTENCY_SUBMITTED' : '201']),
      ),
    );

    // Long after the crashes, every remain is swept at the next start.
    await survivor?.kill();
    if (database !== null) await rowsOf(`update file_contents set changed_at = changed_at - interval '2 hours'`);
    const received = join(folder, 'files', 'incoming');
    for (const name of await readdir(received)) await utimes(join(received, name), 0, 0);
    const last = await start();
    const token = await tokenOf(last);
    for (const { key } of attempts) {
      expect((await last.call(`/idempotency/${key}`, { token })).body.data).toMatchObject({ state: 'SUBMITTED' });
    }
    const recorded = async (): Promise<unknown[]> => {
      const query = 'action=file.upload&outcome=success&size=200';
      const { body } = await last.call(`/admin/audit-records?${query}`, { token });
      return (body.data as unknown as { target: unknown }[]).map(({ target }) => target).sort();
    };
    const listed = (await last.call('/admin/storage/files?size=200', { token })).body.data as unknown as {
      id: string;
      fileName: string;
    }[];
    expect(listed.map(({ fileName }) => fileName).sort()).toEqual(points.map((point) => `${point}.txt`).sort());
    // Records of the crashed processes are chained by a sweep.
    await expect.poll(recorded, { timeout: 60_000, interval: 500 }).toEqual(listed.map(({ id }) => id).sort());
    await last.kill();
    // Abandoned contents are removed at once, and again after an hour, unless no other process can have written.
    const noted = await rowsOf<{ state: string }>('select distinct state from file_contents');
    expect(noted).toEqual(database === null ? [] : [{ state: 'abandoned' }]);
    const stored = await rowsOf<{ storage_key: string }>('select storage_key from stored_files');
    expect(await contents()).toEqual(stored.map((row) => row.storage_key).sort());
  });
});
