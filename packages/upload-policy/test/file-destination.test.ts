import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileDestination } from '../src/index.js';

/** More turns of the event loop than a pipeline needs to reject. */
const TURNS = 20;

describe('a file destination', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'file-destination-'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Delays the opening of files, as a slow disk does, until it is released. */
  function slowDisk() {
    const { open } = fs;
    const events: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = new Promise<void>((resolve) => {
      vi.spyOn(fs, 'open').mockImplementation(((...call: unknown[]) => {
        const done = call.pop() as (...result: unknown[]) => void;
        const whenOpen = (...result: unknown[]) => {
          events.push('opened');
          done(...result);
        };
        resolve();
        void released.then(() => Reflect.apply(open, fs, [...call, whenOpen]));
      }) as typeof fs.open);
    });
    return { events, held, release };
  }

  it('UPL-8 a stream that breaks off while the file is being opened leaves no file behind', async () => {
    const { events, held, release } = slowDisk();
    const destination = createFileDestination({ folder, keep: async () => {} });
    const stream = new PassThrough();
    const writing = destination.write(stream).finally(() => events.push('rejected'));
    const discarded = writing.catch(async (cause: Error) => {
      await destination.discard();
      return cause.message;
    });
    await held;
    stream.destroy(new Error('broke off'));
    for (let i = 0; i < TURNS; i += 1) await turn();
    release();
    expect(await discarded).toBe('broke off');
    expect(events).toEqual(['opened', 'rejected']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('UPL-8 a missing folder rejects at once, and a stream that has already ended does not block', async () => {
    const missing = createFileDestination({ folder: join(folder, 'missing'), keep: async () => {} });
    await expect(missing.write(PassThrough.from(['text']))).rejects.toMatchObject({ code: 'ENOENT' });
    const destination = createFileDestination({ folder, keep: async () => {} });
    const dead = new PassThrough();
    dead.destroy();
    await expect(destination.write(dead)).rejects.toThrow();
    await destination.discard();
    expect(readdirSync(folder)).toEqual([]);
  });
});
