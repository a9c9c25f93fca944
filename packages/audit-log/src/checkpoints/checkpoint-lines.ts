import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { objectWith, readOptions, text } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';
import { type Checkpoint, isSignatureLine, readCheckpoint } from '../notes/index.js';
import { syncFolder } from '../sync-folder.js';
import type { CheckpointWriter } from './checkpoint-delivery.js';

/**
 * Appends each checkpoint to a file as a signed note, with an empty line before it, and syncs it to the disk before it
 * resolves. The file is created for its owner alone (0600), and its folder must exist. Put it on another machine's
 * storage, or make it append-only (`chattr +a`), because anyone who can change both the database and this file can cut
 * the log unnoticed. Several processes may append to one file.
 *
 * @example
 * ```ts
 * const sink = createPostgresAuditSink({
 *   database,
 *   key: parseAuditKey(AUDIT_KEY ?? ''),
 *   checkpoint: createFileCheckpoint('audit-checkpoints'), // better: a file on another machine
 *   checkpointKey: parseCheckpointKey(AUDIT_CHECKPOINT_KEY ?? ''),
 *   log: app.log,
 * });
 * ```
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
  const write: CheckpointWriter = ({ note }) => {
    const written = before.then(() => appendNote(path, note));
    before = written.catch(() => {});
    return written;
  };
  return Object.assign(write, { destination: `file ${path}` });
}

async function appendNote(path: string, note: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    // A crash may have left an incomplete note, with or without the end of its last line.
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    const start = size === 0 ? '' : buffer[0] === 0x0a ? '\n' : '\n\n';
    await file.appendFile(`${start}${note}`);
    await file.datasync();
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

/** A logger such as Fastify's. */
export interface CheckpointLog {
  info(details: { readonly auditCheckpoint: string }, message: string): void;
}

/**
 * Writes each checkpoint as a log line, for logs that are shipped elsewhere. {@link readCheckpointFile} reads the
 * signed note from the member `auditCheckpoint` of the line.
 *
 * @example
 * ```ts
 * export const checkpoint = [
 *   createHttpCheckpoint({ url: 'https://witness.example.com/checkpoints', headers }),
 *   createS3Checkpoint({ client, PutObjectCommand, bucket: 'audit-checkpoints' }),
 *   createLogCheckpoint(console),
 * ];
 * ```
 *
 * @throws AuditSetupError where the log has no `info`
 */
export function createLogCheckpoint(log: CheckpointLog): CheckpointWriter {
  readOptions(
    { subject: 'createLogCheckpoint', SetupError: AuditSetupError },
    { log },
    { log: objectWith<CheckpointLog>({ methods: ['info'], meaning: 'a logger with info, such as app.log' }) },
  );
  const write: CheckpointWriter = ({ note }) => log.info({ auditCheckpoint: note }, 'Audit checkpoint');
  return Object.assign(write, { destination: 'log' });
}

/**
 * The maximum number of lines of a note, so that a file without notes is not collected in memory. Notes of this package
 * have at most 13.
 */
const MAX_NOTE_LINES = 64;

/**
 * Reads the checkpoints of a file, not verified yet: signed notes, one after the other, or JSON log lines of
 * `createLogCheckpoint`. Everything else is skipped, such as an incomplete note after a crash.
 *
 * The result may be read any number of times. Each time the file is read again.
 *
 * @param tailBytes reads only the end of the file, for its newest checkpoints. Default: the whole file
 */
export function readCheckpointFile(
  path: string,
  { tailBytes = Number.POSITIVE_INFINITY }: { readonly tailBytes?: number } = {},
): AsyncIterable<Checkpoint> {
  return { [Symbol.asyncIterator]: () => readNotes(path, tailBytes) };
}

async function* readNotes(path: string, tailBytes: number): AsyncGenerator<Checkpoint> {
  const start = Math.max(0, (await stat(path)).size - tailBytes);
  const lines = createInterface({
    input: createReadStream(path, { encoding: 'utf8', start }),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let text: string[] = [];
  let signatures: string[] = [];
  let hasEnded = false;
  function* noteSoFar(): Generator<Checkpoint> {
    const note = signatures.length === 0 ? null : readCheckpoint([...text, '', ...signatures, ''].join('\n'));
    [text, signatures, hasEnded] = [[], [], false];
    if (note !== null) yield note;
  }
  for await (const line of lines) {
    if (line.startsWith('{')) {
      const checkpoint = ofJson(line);
      if (checkpoint !== null) yield checkpoint;
    } else if (hasEnded && isSignatureLine(line)) {
      signatures.push(line);
    } else {
      if (signatures.length > 0 || (hasEnded && line !== '')) yield* noteSoFar();
      if (line === '') hasEnded = text.length > 0;
      else if (text.length < MAX_NOTE_LINES) text.push(line);
    }
  }
  yield* noteSoFar();
}

function ofJson(line: string): Checkpoint | null {
  try {
    const value = JSON.parse(line) as { readonly auditCheckpoint?: unknown } | null;
    return readCheckpoint(value?.auditCheckpoint);
  } catch {
    return null;
  }
}
