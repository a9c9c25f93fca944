import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  type AnyCheckpoint,
  acceptAuditState,
  type CheckpointWriter,
  createPostgresAuditSink,
} from '@sallyport/audit-log/postgres';
import type { Config } from '../config/config.js';
import { auditChain, checkpointKeys, checkpointPlaces, compareAuditLog } from '../modules/audit-records/index.js';
import type { Database } from '../storage/database.js';

/**
 * Accepts the audit log as it is (AUD-9). The record of it comes first, so that the signed checkpoint covers it: if the
 * command dies in between, the log is not accepted yet.
 *
 * @param checkpoints every checkpoint of the log
 */
export async function acceptState(
  { write, now }: { readonly write: (text: string) => void; readonly now: () => number },
  config: Config,
  database: Database,
  checkpoints: AsyncIterable<AnyCheckpoint>,
): Promise<0> {
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
      checkpoint: found?.checkpoint?.sequence ?? null,
    },
  };
  await sink.append([createAuditRecord(event, { id: createRecordIds(now)(), occurredAt: now() })]);
  await sink.close();

  const checkpoint: readonly CheckpointWriter[] = checkpointPlaces(config, null);
  const accepted = await acceptAuditState({ ...chain, ...keys, checkpoints, checkpoint, now });
  if (found !== null) write(`${found.detail}\n`);
  write(`The audit log is accepted as it is, up to row ${accepted.checkpoint.sequence}.\n`);
  return 0;
}
