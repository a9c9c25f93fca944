import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  type AnyCheckpoint,
  acceptAuditState,
  type CheckpointWriter,
  createPostgresAuditSink,
} from '@sallyport/audit-log/postgres';
import type { Config } from '../config/config.js';
import {
  auditChain,
  checkpointKeys,
  checkpointPlaces,
  compareAuditLog,
  missingRows,
} from '../modules/audit-records/index.js';
import type { Database } from '../storage/database.js';

interface AcceptingProcess {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly now: () => number;
}

/**
 * Accepts the audit log as it is (AUD-9). The record of it comes first, so that the signed checkpoint covers it: if the
 * command dies in between, the log is not accepted yet.
 *
 * @param checkpoints every checkpoint of the log
 */
export async function acceptState(
  { write, writeError, now }: AcceptingProcess,
  config: Config,
  database: Database,
  checkpoints: AsyncIterable<AnyCheckpoint>,
): Promise<0 | 2> {
  const chain = await auditChain(config, database);
  const keys = await checkpointKeys(config);
  const publicKeys = [keys.checkpointKey.publicKey, ...keys.publicKeys];
  const found = await compareAuditLog(config, { ...chain, publicKeys });

  const sink = createPostgresAuditSink({ ...chain, now });
  const event = {
    action: 'audit-record.accept-state',
    actor: 'command',
    parameters: {
      state: found?.state ?? 'unknown',
      lastSequence: found?.lastSequence ?? null,
      missing: found?.missing ? { ...found.missing } : null,
      gaps: found?.gaps.map((gap) => ({ ...gap })) ?? [],
      checkpoint: found?.checkpoint?.sequence ?? null,
    },
  };
  await sink.append([createAuditRecord(event, { id: createRecordIds(now)(), occurredAt: now() })]);
  await sink.close();

  const checkpoint: readonly CheckpointWriter[] = checkpointPlaces(config, null);
  const accepted = await acceptAuditState({ ...chain, ...keys, checkpoints, checkpoint, now });
  if (found !== null) write(`${found.detail}\n`);
  write(`The audit log is accepted as it is, up to row ${accepted.checkpoint.sequence}.\n`);
  for (const gap of accepted.checkpoint.gaps) write(`${missingRows(gap)}\n`);
  for (const { destination, error } of accepted.failures) {
    const why = error instanceof Error ? error.message : String(error);
    writeError(
      `Run the command again when the ${destination} can be reached, which did not get the checkpoint: ${why}\n`,
    );
  }
  return accepted.failures.length === 0 ? 0 : 2;
}
