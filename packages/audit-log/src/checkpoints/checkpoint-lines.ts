import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { objectWith, readOptions, text } from '@sallyport/options';
import { type Checkpoint, readCheckpoint } from '../chain/index.js';
import { AuditSetupError } from '../errors.js';
import { syncFolder } from '../sync-folder.js';
import type { CheckpointWriter } from './checkpoint-schedule.js';

/**
 * Appends each checkpoint to a file as one line of JSON, and syncs it to the disk before it resolves. The file is
 * created for its owner alone (0600); its folder must exist. Put it on another machine's storage, or make it
 * append-only (`chattr +a`): anyone who can change both the database and this file can cut the log unnoticed. Several
 * processes may append to one file.
 *
 * @throws AuditSetupError where the path is not a text
 */
export function createFileCheckpoint(path: string): CheckpointWriter {
  readOptions(
    { subject: 'createFileCheckpoint', SetupError: AuditSetupError },
    { path },
    { path: text({ maxLength: 4096, what: 'the path of a file' }) },
  );
  let before: Promise<void> = Promise.resolve();
  return (checkpoint) => {
    const written = before.then(() => appendLine(path, JSON.stringify(checkpoint)));
    before = written.catch(() => {});
    return written;
  };
}

async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    // A crash may have left an incomplete line.
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    const start = size === 0 || buffer[0] === 0x0a ? '' : '\n';
    await file.appendFile(`${start}${line}\n`);
    await file.datasync();
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

/** A logger such as Fastify's. */
export interface CheckpointLog {
  info(details: { readonly auditCheckpoint: Checkpoint }, message: string): void;
}

/**
 * Writes each checkpoint as a log line, for logs that are shipped elsewhere. {@link readCheckpointFile} reads it from
 * the member `auditCheckpoint` of the line.
 *
 * @throws AuditSetupError where the log has no `info`
 */
export function createLogCheckpoint(log: CheckpointLog): CheckpointWriter {
  readOptions(
    { subject: 'createLogCheckpoint', SetupError: AuditSetupError },
    { log },
    { log: objectWith<CheckpointLog>({ methods: ['info'], meaning: 'a logger with info, such as app.log' }) },
  );
  return (checkpoint) => log.info({ auditCheckpoint: checkpoint }, 'Audit checkpoint');
}

/**
 * Reads the checkpoints of a file: of `createFileCheckpoint`, or JSON log lines of `createLogCheckpoint`. Other lines
 * are skipped, such as an incomplete line that a crash left.
 */
export async function* readCheckpointFile(path: string): AsyncGenerator<Checkpoint> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const checkpoint = checkpointOf(line);
    if (checkpoint !== null) yield checkpoint;
  }
}

function checkpointOf(line: string): Checkpoint | null {
  try {
    const value: unknown = JSON.parse(line);
    return readCheckpoint(value) ?? readCheckpoint((value as { auditCheckpoint?: unknown } | null)?.auditCheckpoint);
  } catch {
    return null;
  }
}
