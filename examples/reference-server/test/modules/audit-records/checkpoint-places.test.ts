import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Checkpoint,
  createPostgresAuditSink,
  generateCheckpointKey,
  parseCheckpointKey,
} from '@sallyport/audit-log/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signCheckpoint } from '../../../../../packages/audit-log/src/notes/index.js';
import { readConfig } from '../../../src/config/config.js';
import {
  auditChain,
  checkpointKeys,
  checkpointPlaces,
  verifyOwnLog,
} from '../../../src/modules/audit-records/index.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

let folder: string;
let bench: TestBench;
let server: Server;
let url: string;
const received: { readonly request: IncomingMessage; readonly body: string }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-places-'));
  bench = await openTestBench();
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ request, body: Buffer.concat(chunks).toString() });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await bench.close();
  await rm(folder, { recursive: true });
});

const configOf = (environment: Record<string, string>) =>
  readConfig({ SERVICE_PROFILE: 'development', SERVICE_DATA_DIR: folder, ...environment });

it('AUD-12 a checkpoint goes to the file, the witness, the bucket with object lock, and the log, as configured', async () => {
  const file = join(folder, 'checkpoints');
  const config = configOf({
    SERVICE_AUDIT_CHECKPOINT_KEY: generateCheckpointKey('api.example.com/audit').privateKey,
    SERVICE_AUDIT_CHECKPOINT_FILE: file,
    SERVICE_AUDIT_CHECKPOINT_LOG: 'true',
    SERVICE_AUDIT_WITNESS_URL: `${url}/witness`,
    SERVICE_AUDIT_WITNESS_HEADERS: '{"Authorization":"Bearer t"}',
    SERVICE_AUDIT_BUCKET_NAME: 'notes',
    SERVICE_AUDIT_BUCKET_ENDPOINT: url,
    SERVICE_AUDIT_BUCKET_PATH_STYLE: 'true',
    SERVICE_AUDIT_BUCKET_ACCESS_KEY_ID: 'id',
    SERVICE_AUDIT_BUCKET_SECRET_ACCESS_KEY: 'key',
    SERVICE_AUDIT_BUCKET_RETAIN_DAYS: '30',
  });
  const logged: string[] = [];
  const places = await checkpointPlaces(config, { info: ({ auditCheckpoint }) => void logged.push(auditCheckpoint) });
  const sink = createPostgresAuditSink({
    ...(await auditChain(config, bench.database)),
    ...(await checkpointKeys(config)),
    checkpoint: places,
  });
  await sink.append([
    {
      id: '019aa7c5-6b1e-7c3a-9c50-6f1d3b2a7e44',
      occurredAt: Date.now(),
      ...{ actor: null, action: 'thing.create', target: null, outcome: 'success', reason: null },
      ...{ durationMillis: 1, parameters: {}, clientIp: null },
      extra: { requestId: null, terminal: null, method: null, path: null, userAgent: null, exception: null },
    },
  ]);
  await sink.close();

  const [note = ''] = logged;
  expect(note).toMatch(/^api\.example\.com\/audit\n1\n/);
  expect(await readFile(file, 'utf8')).toBe(note);
  expect(received.map(({ body }) => body)).toEqual([note, note]);
  const [witness, bucket] = ['/witness', '/notes/'].map(
    (path) => received.find(({ request }) => request.url?.startsWith(path))?.request,
  );
  expect([witness?.method, witness?.headers.authorization]).toEqual(['POST', 'Bearer t']);
  expect(bucket?.headers['x-amz-object-lock-mode']).toBe('COMPLIANCE');
  const until = Date.parse(String(bucket?.headers['x-amz-object-lock-retain-until-date']));
  expect(Math.round((until - Date.now()) / 86_400_000)).toBe(30);
});

it('AUD-12 without any place, which only development allows, checkpoints are log lines', async () => {
  const logged: string[] = [];
  const [place, ...more] = await checkpointPlaces(configOf({}), { info: (_details, text) => void logged.push(text) });
  void place?.({ note: 'n' } as Checkpoint);
  expect([logged, more]).toEqual([['Audit checkpoint'], []]);
});

it('API-4 a verification pauses and can be ended while it proves a long file of checkpoints', async () => {
  const file = join(folder, 'long-file');
  const root = Buffer.alloc(32, 7).toString('base64');
  const content = { kind: 'progress', sequence: 1, root, frontier: [root], mac: null } as const;
  const { note } = await signCheckpoint(
    { ...content, at: '2026-01-01T00:00:00.000Z', before: null, since: null, gaps: [] },
    parseCheckpointKey(generateCheckpointKey('other/audit').privateKey),
  );
  await writeFile(file, `${note}\n`.repeat(450));
  const config = configOf({ SERVICE_AUDIT_CHECKPOINT_FILE: file });

  const pauses: number[] = [];
  const { findings } = await verifyOwnLog(config, bench.database, ({ rows }) => void pauses.push(rows));
  expect(findings.filter(({ kind }) => kind === 'checkpoint')).toHaveLength(450);
  expect(pauses.slice(0, 2)).toEqual([0, 0]);

  const stopped = verifyOwnLog(config, bench.database, () => Promise.reject(new Error('stopped')));
  await expect(stopped).rejects.toThrow('stopped');
});
