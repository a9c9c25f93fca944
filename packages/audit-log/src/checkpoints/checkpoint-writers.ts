import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Checkpoint } from '../chain/checkpoint.js';
import type { CheckpointWriter } from './checkpoint-schedule.js';

/**
 * Appends each checkpoint to a file as one line of JSON, and has it on the disk before it resolves. The file is created
 * for its owner alone (0600); its folder must exist. Put it on another machine's storage, or make it append-only
 * (`chattr +a`): whoever may change both the database and this file may shorten the log unseen. Several processes may
 * append to one file.
 */
export function createFileCheckpoint(path: string): CheckpointWriter {
  if (typeof path !== 'string' || path === '')
    throw new TypeError('createFileCheckpoint: path must be the path of a file');
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
    // A crash may have left half a line.
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    const start = size === 0 || buffer[0] === 0x0a ? '' : '\n';
    await file.appendFile(`${start}${line}\n`);
    await file.datasync();
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}

/** Or the name of a new file is gone after a power failure. Windows knows no such thing. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A logger such as Fastify's. */
export interface CheckpointLog {
  info(details: { readonly auditCheckpoint: Checkpoint }, message: string): void;
}

/** Writes each checkpoint as a log line, for logs that are shipped elsewhere. `verify` reads it from the line's `auditCheckpoint`. */
export function createLogCheckpoint(log: CheckpointLog): CheckpointWriter {
  return (checkpoint) => log.info({ auditCheckpoint: checkpoint }, 'Audit checkpoint');
}
