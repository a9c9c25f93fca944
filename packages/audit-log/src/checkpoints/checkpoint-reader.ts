import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Checkpoint, readCheckpoint } from '../chain/checkpoint.js';

/**
 * The checkpoints of a file: of `createFileCheckpoint`, or log lines in JSON of `createLogCheckpoint`, among others or
 * not. Lines that hold none are passed over, such as the half one that a crash left.
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
