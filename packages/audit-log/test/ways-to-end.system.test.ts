import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFileSink, readAuditFile } from '../src/file.js';
import { type AuditRecord, type AuditSink, auditLog, completionId, createMemorySink } from '../src/index.js';
import { createAuditReader, createPostgresAuditSink } from '../src/postgres.js';
import { auditDatabases } from './audit-databases.js';
import { makeKey } from './records.js';
import { addWays, ends, headOf, openSocket, routeUpgrades, type Signals, type Way, ways } from './ways-to-end.js';

const SOON = { timeout: 5000, interval: 2 };

interface OpenedSink {
  readonly sink: AuditSink;
  readonly read: () => Promise<readonly AuditRecord[]>;
}

async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function openMemory(): Promise<OpenedSink> {
  const sink = createMemorySink();
  return { sink, read: async () => sink.records() };
}

async function openFile(): Promise<OpenedSink> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'audit.ndjson');
  const sink = await createFileSink({ path });
  const read = async () => (await listOf(readAuditFile(path))).map(({ record }) => record as AuditRecord);
  return { sink, read };
}

async function openPostgres(): Promise<OpenedSink> {
  const [, open] = auditDatabases.find(([name]) => name === 'PostgreSQL') as (typeof auditDatabases)[number];
  const opened = await open();
  onTestFinished(() => opened.close());
  const [database] = opened.nodes;
  const sink = createPostgresAuditSink({ database, key: makeKey(), sweepSeconds: 1 });
  const reader = createAuditReader({ database });
  // What was begun and not completed enters the chain by a sweep.
  const isOpen = { ...sink, close: async () => {} };
  return {
    sink: isOpen,
    async read() {
      const records = () => listOf(reader.export({}));
      await vi.waitFor(async () => expect((await records()).length).toBeGreaterThanOrEqual(ways.length), 5000);
      await sink.close?.();
      return records();
    },
  };
}

function createSignals(): Signals {
  const signals = { begin: () => {}, tell: () => {} };
  const begun = new Promise<void>((resolve) => {
    signals.begin = resolve;
  });
  const told = new Promise<void>((resolve) => {
    signals.tell = resolve;
  });
  return { ...signals, begun, told };
}

/** One request of each way, at the same time. Resolves when each has ended on both sides. */
async function goAll(sink: AuditSink): Promise<void> {
  const signals = new Map(ways.map((way) => [way, createSignals()]));
  const signalsOf = (way: Way) => signals.get(way) as Signals;
  const app = Fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  await app.register(auditLog, { sink, actorOf: () => 'insider' });
  addWays(app, signalsOf);
  routeUpgrades(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };

  async function go(way: Way): Promise<void> {
    const socket = await openSocket(port);
    // A reply that has a body is cut when it has come.
    const seen = once(socket, way.client === 'reads' ? 'close' : 'data').catch(() => {});
    socket.on('data', () => {});
    socket.on('end', () => socket.end());
    socket.write(headOf(way).replace('host', way.client === 'reads' ? 'connection: close\r\nhost' : 'host'));
    if (way.isRefused || way.client === 'reads') return void (await seen);
    await signalsOf(way).begun;
    if (way.name.startsWith('events') || way.name.endsWith('raw-and-cut') || way.name === 'stream-cut') await seen;
    const connections = () => new Promise<number>((resolve) => app.server.getConnections((_error, n) => resolve(n)));
    const before = await connections();
    ends[way.client](socket);
    await vi.waitFor(async () => expect(await connections()).toBeLessThan(before), SOON);
    signalsOf(way).tell();
  }

  for (const way of ways) await go(way);
  await vi.waitFor(
    () => expect(app.auditLog.health()).toMatchObject({ open: 0, pending: 0, queued: 0, lost: 0 }),
    SOON,
  );
  await app.close();
}

/** Begun records without those that are completed. */
function completed(records: readonly AuditRecord[]): readonly AuditRecord[] {
  const ids = new Set(records.map(({ id }) => id));
  return records.filter(({ id }) => id[14] !== '7' || !ids.has(completionId(id)));
}

const rowOf = ({ action, outcome, reason, actor }: AuditRecord) => [action, outcome, reason, actor];
const expected = ways.map(({ name, outcome, reason }) => [`way.${name}`, outcome, reason, 'insider']).sort();

describe.each([
  ['memory', openMemory],
  ['a file', openFile],
  ['PostgreSQL', openPostgres],
] as const)('in %s', (_name, open) => {
  it('AUD-14 every request has one record, however it ends', async () => {
    const { sink, read } = await open();
    await goAll(sink);
    expect(
      completed(await read())
        .map(rowOf)
        .sort(),
    ).toEqual(expected);
  });
});

it('AUD-14 what ends late has a record of its beginning, too', async () => {
  const { sink, read } = await openFile();
  await goAll(sink);
  const begun = (await read()).filter(({ id, outcome }) => id[14] === '7' && outcome === 'unknown');
  expect(begun.map(({ action }) => action).sort()).toEqual(
    ways.flatMap(({ name, isBegun }) => (isBegun ? [`way.${name}`] : [])).sort(),
  );
});
