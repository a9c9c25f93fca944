import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { readOptions, text } from '@sallyport/plugin-kit/options';
import { AuditRecordRefusedError, AuditSetupError } from '../errors.js';
import type { AuditRecord } from '../records/index.js';
import { syncFolder } from '../sync-folder.js';
import type { AuditSink } from './audit-sink.js';
import { RecentIds } from './recent-ids.js';

export interface FileSinkOptions {
  /**
   * The file. If it doesn't exist, it is created for its owner alone (0600). Its folder must exist. Only one process
   * may write to a file. Required.
   */
  readonly path: string;
}

/** A sink that appends to a file. */
export interface FileSink extends AuditSink {
  /**
   * Whether the last line was incomplete when the file was opened, because a crash interrupted a write. The line stays,
   * and `readAuditFile` yields no record for it.
   */
  readonly foundTornLine: boolean;
}

/** For the owner alone, because records contain personal data. */
const FILE_MODE = 0o600;

const rules = { path: text({ maxLength: 4096, what: 'the path of a file' }) };

interface WaitingCall {
  /** Keyed by the id of the record. */
  readonly lines: readonly (readonly [id: string, line: string])[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens a sink that writes one JSON text per line (NDJSON). Records of concurrent calls share one write and one
 * `fdatasync`; `append` resolves after it. A failed write is undone. If that also fails, the sink refuses every record
 * until it is opened again. Rejects with AuditSetupError for bad options, otherwise with the error of the file system.
 *
 * @example
 * ```ts
 * import auditLog from '@sallyport/audit-log';
 * import { createFileSink } from '@sallyport/audit-log/file';
 * import Fastify from 'fastify';
 *
 * const app = Fastify({ logger: true });
 * await app.register(auditLog, { sink: await createFileSink({ path: 'audit.ndjson' }) });
 * ```
 */
export async function createFileSink(options: FileSinkOptions): Promise<FileSink> {
  const { path } = readOptions<FileSinkOptions>(
    { subject: 'createFileSink', SetupError: AuditSetupError },
    options,
    rules,
  );
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, FILE_MODE);
  const foundTornLine = await endTornLine(file);
  await syncFolder(dirname(path));

  let { size } = await file.stat();
  let waiting: WaitingCall[] = [];
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

  async function writeGroup(lines: WaitingCall['lines']): Promise<void> {
    if (isUnusable)
      throw new Error('A failed write could not be undone: the file is unusable until it is opened again');
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
      // Converted before the records are grouped, so that a record without JSON fails alone.
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

/** A record without a line end was never acknowledged, but the next record must not be appended to its line. */
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

/** A line of a sink's file. */
export interface AuditFileLine {
  /** The number of the line, from 1. */
  readonly line: number;
  /** Null if the line is not a record, because a crash interrupted the write, or because no sink wrote it. */
  readonly record: AuditRecord | null;
}

/** Reads the file of a sink line by line. The sink may write to it at the same time. */
export async function* readAuditFile(path: string): AsyncGenerator<AuditFileLine> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  let line = 0;
  for await (const content of lines) {
    line += 1;
    yield { line, record: parseRecord(content) };
  }
}

function parseRecord(line: string): AuditRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    const { id, action, extra } = (value ?? {}) as Partial<AuditRecord>;
    return typeof id === 'string' && typeof action === 'string' && extra !== undefined ? (value as AuditRecord) : null;
  } catch {
    return null;
  }
}
