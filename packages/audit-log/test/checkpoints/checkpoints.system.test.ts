import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCheckpointDelivery, createCheckpointSchedule } from '../../src/checkpoints/index.js';
import { AuditSetupError } from '../../src/index.js';
import { createMerkleTree, hashLeaf, signCheckpoint } from '../../src/notes/index.js';
import { type Checkpoint, createFileCheckpoint, createLogCheckpoint, readCheckpointFile } from '../../src/postgres.js';
import { makeCheckpointKey } from '../records.js';

const made: Checkpoint[] = [];

describe('checkpoints in a second place', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-checkpoints-'));
    const [key, tree] = [makeCheckpointKey(), createMerkleTree()];
    for (let sequence = 1; sequence <= 30; sequence += 1) {
      tree.append(hashLeaf(`row ${sequence}`));
      const { frontier } = tree.state();
      const content = { kind: 'progress', sequence, root: tree.root(), frontier, mac: null } as const;
      made.push(
        await signCheckpoint({ ...content, at: '2026-11-21T16:15:09.123Z', before: null, since: null, gaps: [] }, key),
      );
    }
  });
  afterAll(() => rm(folder, { recursive: true }));
  afterEach(() => {
    vi.useRealTimers();
  });

  async function read(path: string, options?: { readonly tailBytes: number }): Promise<Checkpoint[]> {
    const all = [];
    for await (const checkpoint of readCheckpointFile(path, options)) all.push(checkpoint);
    return all;
  }

  it('AUD-12 several writers append to one file at once, for its owner alone', async () => {
    const path = join(folder, 'several');
    const writers = [createFileCheckpoint(path), createFileCheckpoint(path)];
    await Promise.all(made.map((checkpoint, index) => writers[index % 2]?.(checkpoint)));
    expect((await read(path)).sort((one, other) => one.sequence - other.sequence)).toEqual(made);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('AUD-12 a note that a crash left incomplete, at any byte, loses no other one', async () => {
    const [first, torn, last] = made as [Checkpoint, Checkpoint, Checkpoint];
    const path = join(folder, 'torn');
    const bytes = Buffer.from(torn.note);
    for (let length = 0; length <= bytes.length; length += 1) {
      await rm(path, { force: true });
      await createFileCheckpoint(path)(first);
      await appendFile(path, Buffer.concat([Buffer.from('\n'), bytes.subarray(0, length)]));
      await createFileCheckpoint(path)(last);
      // Only the last line feed may be missing.
      const expected = length >= bytes.length - 1 ? [first, torn, last] : [first, last];
      expect(await read(path), `${length} bytes`).toEqual(expected);
    }
    expect((await readFile(path, 'utf8')).endsWith('\n')).toBe(true);
  });

  it('AUD-12 reads notes one after the other, as objects of a bucket are put together', async () => {
    const path = join(folder, 'together');
    await writeFile(path, made.map(({ note }) => note).join(''));
    expect(await read(path)).toEqual(made);
  });

  it('AUD-9 reads only the end of a long file', async () => {
    const path = join(folder, 'tail');
    for (const checkpoint of made) await createFileCheckpoint(path)(checkpoint);
    const tail = await read(path, { tailBytes: 1000 });
    expect(tail).toEqual(made.slice(-tail.length));
    expect(tail.length).toBeGreaterThan(1);
    expect(tail.length).toBeLessThan(6);
  });

  it('AUD-12 reads checkpoints from log lines among others', async () => {
    const path = join(folder, 'log');
    const lines: string[] = ['Server listening', '{"level":30}', 'null'];
    const write = createLogCheckpoint({
      info: (details, msg) => void lines.push(JSON.stringify({ level: 30, ...details, msg })),
    });
    for (const checkpoint of made) await write(checkpoint);
    await writeFile(path, `${lines.join('\r\n')}\n`);
    expect(await read(path)).toEqual(made);
  });

  it('AUD-12 a file that cannot be written rejects, and the next checkpoint is tried again', async () => {
    const write = createFileCheckpoint(join(folder, 'absent', 'file'));
    await expect(write(made[0] as Checkpoint)).rejects.toThrow('ENOENT');
    await expect(write(made[1] as Checkpoint)).rejects.toThrow('ENOENT');
    expect(() => createFileCheckpoint('')).toThrow(AuditSetupError);
  });

  it('AUD-12 makes one everySeconds after the start and after the first record, again after a failure, none when idle', async () => {
    vi.useFakeTimers();
    const failures: unknown[] = [];
    const offered: Checkpoint[] = [];
    let [end, broken] = [5, true];
    const schedule = createCheckpointSchedule({
      async make() {
        if (broken) throw new Error('away');
        return { checkpoint: made[end - 1] as Checkpoint, isPartial: false };
      },
      deliveries: [{ offer: (checkpoint) => void offered.push(checkpoint), close: async () => {} }],
      everyRecords: 100,
      everySeconds: 30,
      onFailure: (error) => failures.push(error),
    });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(failures).toHaveLength(1);
    broken = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(offered).toMatchObject([{ sequence: 5 }]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(offered).toHaveLength(1);
    end = 6;
    schedule.noteRows(1);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(offered).toMatchObject([{ sequence: 5 }, { sequence: 6 }]);
    end = 7;
    schedule.noteRows(100);
    await vi.advanceTimersByTimeAsync(0);
    expect(offered).toHaveLength(3);
    end = 8;
    schedule.noteRows(1);
    await schedule.close();
    expect(offered).toHaveLength(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('AUD-12 delivers the newest checkpoint to a place that was away, and names each failure', async () => {
    vi.useFakeTimers();
    const [got, failures]: [number[], unknown[]] = [[], []];
    let state: 'up' | 'down' | 'silent' = 'down';
    const delivery = createCheckpointDelivery(
      ({ sequence }) => {
        if (state === 'down') throw new Error('disk full');
        if (state === 'silent') return new Promise(() => {});
        got.push(sequence);
        return undefined;
      },
      (error) => failures.push(error),
    );
    const [first, second, third, fourth] = made as [Checkpoint, Checkpoint, Checkpoint, Checkpoint];
    delivery.offer(first);
    await vi.advanceTimersByTimeAsync(500);
    delivery.offer(second);
    expect(failures).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(500);
    expect(failures).toHaveLength(2);
    state = 'up';
    await vi.advanceTimersByTimeAsync(2000);
    expect(got).toEqual([2]);
    state = 'silent';
    delivery.offer(third);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(failures).toHaveLength(3);
    state = 'up';
    delivery.offer(fourth);
    const closed = delivery.close();
    await vi.advanceTimersByTimeAsync(20_000);
    await closed;
    expect(got).toEqual([2, 4]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
