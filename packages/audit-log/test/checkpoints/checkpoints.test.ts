import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAuditChain } from '../../src/chain/index.js';
import { createCheckpointSchedule } from '../../src/checkpoints/index.js';
import { AuditSetupError } from '../../src/index.js';
import { type Checkpoint, createFileCheckpoint, createLogCheckpoint, readCheckpointFile } from '../../src/postgres.js';
import { makeKey } from '../records.js';

const chain = createAuditChain(makeKey());
const made = Array.from({ length: 30 }, (_, index) =>
  chain.sign({
    kind: 'progress',
    sequence: index + 1,
    mac: `m${index}`,
    count: index + 1,
    at: '2026-11-21T16:15:09.123Z',
  }),
);

describe('checkpoints in a second place', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-checkpoints-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  afterEach(() => {
    vi.useRealTimers();
  });

  async function read(path: string): Promise<Checkpoint[]> {
    const all = [];
    for await (const checkpoint of readCheckpointFile(path)) all.push(checkpoint);
    return all;
  }

  it('AUD-6 several writers append to one file at once, one line each, for its owner alone', async () => {
    const path = join(folder, 'several');
    const writers = [createFileCheckpoint(path), createFileCheckpoint(path)];
    await Promise.all(made.map((checkpoint, index) => writers[index % 2]?.(checkpoint)));
    expect((await read(path)).sort((one, other) => one.sequence - other.sequence)).toEqual(made);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('AUD-6 an incomplete line that a crash left loses no other checkpoint', async () => {
    const path = join(folder, 'torn');
    await createFileCheckpoint(path)(made[0] as Checkpoint);
    await appendFile(path, '{"kind":"progr');
    await createFileCheckpoint(path)(made[1] as Checkpoint);
    expect(await read(path)).toEqual(made.slice(0, 2));
    expect((await readFile(path, 'utf8')).endsWith('\n')).toBe(true);
  });

  it('AUD-6 reads checkpoints from log lines among others', async () => {
    const path = join(folder, 'log');
    const lines: string[] = ['Server listening', '{"level":30}', 'null'];
    const write = createLogCheckpoint({
      info: (details, msg) => void lines.push(JSON.stringify({ level: 30, ...details, msg })),
    });
    for (const checkpoint of made) await write(checkpoint);
    await writeFile(path, `${lines.join('\r\n')}\n`);
    expect(await read(path)).toEqual(made);
  });

  it('AUD-6 a file that cannot be written rejects, and the next checkpoint is tried again', async () => {
    const write = createFileCheckpoint(join(folder, 'absent', 'file'));
    await expect(write(made[0] as Checkpoint)).rejects.toThrow('ENOENT');
    await expect(write(made[1] as Checkpoint)).rejects.toThrow('ENOENT');
    expect(() => createFileCheckpoint('')).toThrow(AuditSetupError);
  });

  it('AUD-6 makes one everySeconds after the first record, again after a failure, and none when idle', async () => {
    vi.useFakeTimers();
    const written: Checkpoint[] = [];
    const failures: unknown[] = [];
    let broken = true;
    let end = { sequence: 5, mac: 'x', cutSequence: 2 };
    const schedule = createCheckpointSchedule({
      chain,
      write(checkpoint) {
        if (broken) throw new Error('disk full');
        written.push(checkpoint);
      },
      everyRecords: 100,
      everySeconds: 60,
      now: () => 0,
      readEnd: async () => end,
      onFailure: (error) => failures.push(error),
    });
    await vi.advanceTimersByTimeAsync(600_000);
    schedule.noteRows(5);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(failures).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(failures).toHaveLength(1);
    broken = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written).toMatchObject([{ kind: 'progress', sequence: 5, count: 3 }]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(written).toHaveLength(1);
    end = { ...end, sequence: 6 };
    schedule.noteRows(1);
    await schedule.close();
    expect(written).toMatchObject([{ sequence: 5 }, { sequence: 6 }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
