import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { type AuditFileLine, createFileSink, readAuditFile } from '../../src/file.js';
import { type AuditRecord, AuditRecordRefusedError, createAuditRecord, createRecordIds } from '../../src/index.js';

/** On a busy machine, for a complete build. */
const BUILD_LIMIT_MILLIS = 300_000;

// The killed process runs the published build.
beforeAll(() => build(), BUILD_LIMIT_MILLIS);

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-file-'));
  path = join(folder, 'audit.ndjson');
});
afterEach(() => rm(folder, { recursive: true }));

const nextId = createRecordIds(Date.now);
const record = (action = 'thing.create'): AuditRecord =>
  createAuditRecord({ action, parameters: { note: 'line\r\nend\u2028 and \0' } }, { id: nextId(), occurredAt: 1 });

async function linesOf(): Promise<AuditFileLine[]> {
  const lines: AuditFileLine[] = [];
  for await (const line of readAuditFile(path)) lines.push(line);
  return lines;
}

it('AUD-4 AU-03 each record is on one line when append resolves, whatever it contains', async () => {
  const sink = await createFileSink({ path });
  const one = record();
  await sink.append([one]);
  expect(await readFile(path, 'utf8')).toBe(`${JSON.stringify(one)}\n`);
  const more = Array.from({ length: 500 }, () => record());
  await Promise.all(more.map((each) => sink.append([each])));
  expect((await linesOf()).map(({ record: each }) => each)).toEqual([one, ...more]);
  await sink.close?.();
});

it('AUD-4 writes a record once, however often it is appended', async () => {
  const sink = await createFileSink({ path });
  const one = record();
  await Promise.all([sink.append([one, one]), sink.append([one])]);
  await sink.append([one]);
  expect(await linesOf()).toHaveLength(1);
  await sink.close?.();
});

it('AUD-2 the file belongs to its owner alone, and is appended to when it is opened again', async () => {
  for (let round = 0; round < 3; round += 1) {
    const sink = await createFileSink({ path });
    expect(sink.foundTornLine).toBe(false);
    await sink.append([record()]);
    await sink.close?.();
  }
  expect(await linesOf()).toHaveLength(3);
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('AUD-6 reports an incomplete last line, and continues on a new line', async () => {
  const first = await createFileSink({ path });
  await first.append([record()]);
  await first.close?.();
  await appendFile(path, '{"id":"018f","act');
  const second = await createFileSink({ path });
  expect(second.foundTornLine).toBe(true);
  const next = record();
  await second.append([next]);
  await second.close?.();
  const lines = await linesOf();
  expect(lines.map((line) => [line.line, line.record !== null])).toEqual([
    [1, true],
    [2, false],
    [3, true],
  ]);
  expect(lines[2]?.record).toEqual(next);
});

it('AUD-4 rejects what it cannot write', async () => {
  await expect(createFileSink({ path: join(folder, 'none', 'audit.ndjson') })).rejects.toThrow('ENOENT');
  await expect(createFileSink({ path: '' })).rejects.toThrow('path must be the path of a file');
  const sink = await createFileSink({ path });
  await sink.close?.();
  await expect(sink.append([record()])).rejects.toThrow();
});

it('AUD-4 refuses a record without JSON alone', async () => {
  const sink = await createFileSink({ path });
  const records = [record(), { ...record(), parameters: 1n as never }, record()];
  const outcomes = await Promise.allSettled(records.map((each) => sink.append([each])));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: expect.any(AuditRecordRefusedError) });
  await sink.close?.();
  expect(await linesOf()).toHaveLength(2);
});

it('AUD-4 REL-1 every acknowledged record is stored once after kill -9', async () => {
  const writer = spawn(process.execPath, [fileURLToPath(new URL('file-writer.mjs', import.meta.url)), path]);
  const acknowledged = new Set<string>();
  let rest = '';
  writer.stdout.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const id of lines) acknowledged.add(id);
    if (acknowledged.size > 500) writer.kill('SIGKILL');
  });
  await once(writer, 'close');
  expect(acknowledged.size).toBeGreaterThan(500);
  const sink = await createFileSink({ path });
  await sink.close?.();
  const ids = (await linesOf()).flatMap(({ record: each }) => (each === null ? [] : [each.id]));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
});
