import {
  type AuditState,
  type AuditStateOptions,
  type Checkpoint,
  checkAuditState,
  readCheckpointFile,
} from '@sallyport/audit-log/postgres';
import { type Config, variableOf } from '../../config/config.js';
import { pathFault } from '../../storage/path-fault.js';

/** The end of the file, in bytes: more than a thousand checkpoints, of any number of nodes. */
const TAIL_BYTES = 1_000_000;

/**
 * Compares the audit log with the newest checkpoint in SERVICE_AUDIT_CHECKPOINT_FILE (AUD-9). Null: no file is
 * configured. A file that does not exist has no checkpoint.
 */
export async function compareAuditLog(
  config: Pick<Config, 'audit.checkpoint-file'>,
  log: Omit<AuditStateOptions, 'checkpoints'>,
): Promise<AuditState | null> {
  const file = config['audit.checkpoint-file'];
  if (file === null) return null;
  try {
    return await checkAuditState({ ...log, checkpoints: checkpointsOf(file, TAIL_BYTES) });
  } catch (error) {
    throw pathFault(error, variableOf('audit.checkpoint-file'), file);
  }
}

/**
 * The checkpoints of a file. Empty if it does not exist.
 *
 * @param tailBytes reads only the end of the file, for the newest ones
 */
export async function* checkpointsOf(file: string, tailBytes?: number): AsyncGenerator<Checkpoint> {
  try {
    yield* readCheckpointFile(file, tailBytes === undefined ? {} : { tailBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
