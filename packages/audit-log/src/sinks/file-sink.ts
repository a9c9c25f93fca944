import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AuditRecordRefusedError } from '../errors.js';
import type { AuditRecord } from '../records/audit-record.js';
import { RecentIds } from './recent-ids.js';
import type { AuditSink } from './sink.js';

export interface FileSinkOptions {
  /** The file, made when it isn't there, for its owner alone. Its folder has to be there. One process writes a file. Required. */
  readonly path: string;
}

/** A sink that appends to a file. */
export interface FileSink extends AuditSink {
  /** Whether the last line was torn when the file was opened: a crash came in the middle of a write. The line stays, and no reader takes it for a record. */
  readonly foundTornLine: boolean;
}

/** For the owner alone: records say who did what. */
const FILE_MODE = 0o600;

interface Waiting {
  /** By the id of the record. */
  readonly lines: readonly (readonly [id: string, line: string])[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens a sink that writes one JSON text a line (NDJSON). Records of concurrent calls go in one write and one
 * `fdatasync`; `append` resolves after it. A write that fails is taken back; when even that fails, the sink takes nothing
 * any more until it is opened again.
 */
export async function createFileSink({ path }: FileSinkOptions): Promise<FileSink> {
  if (typeof path !== 'string' || path === '') throw new TypeError('createFileSink: path must name a file');
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, FILE_MODE);
  const foundTornLine = await endTornLine(file);
  await syncFolder(dirname(path));

  let { size } = await file.stat();
  let waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let isUnusable = false;
  const recentIds = new RecentIds();

  async function writeGroups(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await writeGroup(group.flatMap(({ lines }) => lines));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
  }

  async function writeGroup(lines: Waiting['lines']): Promise<void> {
    if (isUnusable) throw new Error('The file could not be brought back to its last good line');
    const fresh = [...new Map(lines)].filter(([id]) => !recentIds.has(id));
    if (fresh.length === 0) return;
    const bytes = Buffer.from(fresh.map(([, line]) => line).join(''));
    try {
      await writeAll(file, bytes);
      await file.datasync();
    } catch (error) {
      isUnusable = true;
      await file.truncate(size);
      await file.datasync();
      isUnusable = false;
      throw error;
    }
    size += bytes.length;
    recentIds.add(fresh.map(([id]) => id));
  }

  return {
    foundTornLine,
    async append(records) {
      // Before it is among others: what JSON can't say fails alone.
      const lines = records.map(lineOf);
      return new Promise((resolve, reject) => {
        waiting.push({ lines, resolve, reject });
        writing ??= writeGroups().finally(() => {
          writing = null;
        });
      });
    },
    async close() {
      await writing;
      await file.close();
    },
  };
}

function lineOf(record: AuditRecord): readonly [id: string, line: string] {
  try {
    return [record.id, `${JSON.stringify(record)}\n`];
  } catch (error) {
    throw new AuditRecordRefusedError(error);
  }
}

/** What isn't followed by a line end was never acknowledged. The next record must not continue it. */
async function endTornLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer.toString('latin1') === '\n') return false;
  await writeAll(file, Buffer.from('\n'));
  await file.datasync();
  return true;
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
}

/** A file that was just made is there after a crash only when its folder says so. Windows can't, and needn't. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
