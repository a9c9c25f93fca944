import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SetupError } from '@sallyport/plugin-kit/options';
import { describe, expect, it } from 'vitest';
import { createAuditDelivery, createNdjsonTarget, createSyslogTarget } from '../src/delivery.js';
import { createFileSink } from '../src/file.js';
import { AuditSetupError, createAuditRecord, createMemorySink, createRecordIds } from '../src/index.js';
import {
  acceptAuditState,
  checkAuditState,
  createAuditReader,
  createAuditTables,
  createFileCheckpoint,
  createHttpCheckpoint,
  createLogCheckpoint,
  createPostgresAuditSink,
  createS3Checkpoint,
  generateCheckpointKey,
  parseAuditKey,
  parseCheckpointKey,
  retainAuditRecords,
  verifyAuditLog,
} from '../src/postgres.js';
import { makeKey } from './records.js';

const database = { transaction() {}, select() {}, execute() {} };
const key = makeKey();
const id = '019aa7c5-6b1e-7c3a-9c50-6f1d3b2a7e44';
const event = { action: 'thing.create' };

/** Each case: the function, what it is called with, and the beginning of each fault. */
const cases: readonly (readonly [subject: string, call: () => unknown, faults: readonly string[]])[] = [
  [
    'createMemorySink',
    () => createMemorySink({ maxrecords: 1 } as never),
    ['maxrecords is not an option; did you mean'],
  ],
  ['createMemorySink', () => createMemorySink({ maxRecords: 0 }), ['maxRecords must be']],
  ['createMemorySink', () => createMemorySink(7 as never), ['the options must be an object']],
  ['createFileSink', () => createFileSink({} as never), ['path is required']],
  ['createFileSink', () => createFileSink({ path: 7, mode: 1 } as never), ['mode is not an option', 'path must be']],
  ['createFileSink', () => createFileSink(undefined as never), ['path is required']],
  ['createRecordIds', () => createRecordIds(7 as never), ['now must be a function']],
  ['createRecordIds', () => createRecordIds(undefined as never), ['now is required']],
  ['createAuditRecord', () => createAuditRecord(event, {} as never), ['id is required', 'occurredAt is required']],
  [
    'createAuditRecord',
    () => createAuditRecord(null as never, { id: 'x', occurredAt: Number.NaN, limit: {} } as never),
    ['limit is not an option; did you mean limits?', 'event must be', 'id must be', 'occurredAt must be'],
  ],
  [
    'createAuditRecord',
    () => createAuditRecord(event, { id, occurredAt: 1, limits: { maxDepth: 0, depth: 1 } as never }),
    ['limits.depth is not an option', 'limits.maxDepth must be'],
  ],
  ['createFileCheckpoint', () => createFileCheckpoint('' as never), ['path must be']],
  ['createLogCheckpoint', () => createLogCheckpoint({} as never), ['log must be']],
  ['createLogCheckpoint', () => createLogCheckpoint(undefined as never), ['log is required']],
  ['createAuditReader', () => createAuditReader({ table: {} } as never), ['database is required', 'table must be']],
  ['createAuditReader', () => createAuditReader({ database, heads: 1 } as never), ['heads is not an option']],
  [
    'createAuditTables',
    () => createAuditTables({} as never, { tables: 1 } as never),
    ['tables is not', 'database must'],
  ],
  [
    'createAuditTables',
    () => createAuditTables(undefined as never),
    [
      'database is required: a drizzle database: drizzle(…) of drizzle-orm/node-postgres, /postgres-js or /pglite. ' +
        'It is undefined: was the plugin that decorates it loaded before?',
    ],
  ],
  ['createPostgresAuditSink', () => createPostgresAuditSink({} as never), ['database is required', 'key is required']],
  [
    'createPostgresAuditSink',
    () =>
      createPostgresAuditSink({
        ...{ database, key, previousKeys: [makeKey()], log: {}, checkpoint: [], checkpointKey: {}, publicKeys: ['k'] },
      } as never),
    [
      'checkpoint must be',
      'checkpointKey must be',
      'publicKeys must be',
      'log must be',
      'key and previousKeys must have different ids',
    ],
  ],
  [
    'createPostgresAuditSink',
    () => createPostgresAuditSink({ database, key: { ...key, hash: 'sm3' }, previousKeys: ['x'] } as never),
    ['key.hash is not an option', 'previousKeys[0] must be'],
  ],
  [
    'createNdjsonTarget',
    () => createNdjsonTarget({ url: 'https://a/', headers: new Headers({ authorization: 'x' }) as never }),
    ['headers must be'],
  ],
  [
    'createHttpCheckpoint',
    () => createHttpCheckpoint({ url: 'https://a/', headers: new Headers({ authorization: 'x' }) as never }),
    ['headers must be'],
  ],
  ['verifyAuditLog', () => verifyAuditLog({ database, key, checkpoints: 'file' } as never), ['checkpoints must be']],
  ['verifyAuditLog', () => verifyAuditLog({ database, key, checkpoint: [] } as never), ['checkpoint is not an option']],
  [
    'retainAuditRecords',
    () => retainAuditRecords({ database, key, before: '2026', evenIfBroken: 1 } as never),
    ['before must be', 'checkpoint is required', 'checkpointKey is required', 'evenIfBroken must be'],
  ],
  [
    'createAuditDelivery',
    () => createAuditDelivery({ database, destination: 'a b', targets: 1, leaseSeconds: 1 } as never),
    ['targets is not an option', 'destination must be', 'target is required', 'leaseSeconds must be'],
  ],
  [
    'createSyslogTarget',
    () => createSyslogTarget({ host: '', structuredDataId: 'a]b@1', hostname: 'a b', maxMessageBytes: 10 } as never),
    ['host must be', 'hostname must be', 'structuredDataId must be', 'maxMessageBytes must be'],
  ],
  [
    'createSyslogTarget',
    () => createSyslogTarget({ host: 'a', ca: 'x', cert: 'x', key: 'x', servername: '10.0.0.1' }),
    ['ca must be', 'cert must be', 'key must be', 'servername must be'],
  ],
  [
    'createNdjsonTarget',
    () => createNdjsonTarget({ url: 'ftp://a/', headers: { 'Content-Length': '1' }, timeoutMillis: 1 }),
    ['url must be', 'headers must be', 'timeoutMillis must be'],
  ],
  ['createNdjsonTarget', () => createNdjsonTarget({ url: 'https://a/', headers: { a: 'b\nc' } }), ['headers must be']],
  ['createNdjsonTarget', () => createNdjsonTarget({ url: 'https://a/', headers: { a: 'b\n' } }), ['headers must be']],
  ['verifyAuditLog', () => verifyAuditLog({ database } as never), ['key or publicKeys must be given']],
  [
    'checkAuditState',
    () => checkAuditState({ database } as never),
    ['publicKeys is required', 'checkpoints is required'],
  ],
  [
    'acceptAuditState',
    () => acceptAuditState({ database, key } as never),
    ['checkpoints is required', 'checkpoint is required', 'checkpointKey is required'],
  ],
  [
    'createHttpCheckpoint',
    () => createHttpCheckpoint({ url: 'ftp://w', headers: { 'a b': '' } }),
    ['url must', 'headers'],
  ],
  [
    'createS3Checkpoint',
    () => createS3Checkpoint({ client: {}, bucket: '', mode: 'NONE' } as never),
    ['client must be', 'PutObjectCommand is required', 'bucket must be', 'mode must be'],
  ],
  ['generateCheckpointKey', () => generateCheckpointKey('two words'), ['the name must']],
  ['parseCheckpointKey', () => parseCheckpointKey('secret'), ['the text must be']],
  ['parseAuditKey', () => parseAuditKey(undefined as never), ['the text must be']],
];

describe('a bad set-up', () => {
  it.each(cases)('AUD-4 AUD-6 %s names every fault in one setup error', async (subject, call, faults) => {
    const error = await (async () => call())().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(AuditSetupError);
    expect(error).toBeInstanceOf(SetupError);
    const setupError = error as AuditSetupError;
    expect([setupError.code, setupError.subject]).toEqual(['AUDIT_SETUP_INVALID', subject]);
    expect(setupError.faults.map((fault, index) => fault.slice(0, faults[index]?.length))).toEqual(faults);
  });
});

/** The modules that a source file loads, without types. */
function loadedBy(path: string, seen = new Set<string>()): Set<string> {
  const loaded = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm);
  for (const [, name = ''] of loaded) {
    const target = name.startsWith('.') ? new URL(name.replace('.js', '.ts'), `file://${path}`).pathname : name;
    if (seen.has(target)) continue;
    seen.add(target);
    if (target !== name) loadedBy(target, seen);
  }
  return seen;
}

it.each(['index', 'file'])('the entry point %s does not load drizzle-orm, an optional peer', (entry) => {
  const modules = [...loadedBy(fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url)))];
  expect(modules).toContain('@sallyport/plugin-kit/options');
  expect(modules.filter((name) => name.startsWith('drizzle-orm') || name.includes('/chain/'))).toEqual([]);
});
