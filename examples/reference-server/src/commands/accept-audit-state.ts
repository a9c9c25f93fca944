import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  type Acceptance,
  type AuditGap,
  AuditRowsMissingError,
  acceptAuditState,
  type Checkpoint,
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
 * Accepts the present audit log (AUD-9). The acceptance is recorded first, so that the signed checkpoint covers its
 * record. If the command dies in between, the log is not accepted yet. Deleted rows are accepted only by name (AUD-15).
 *
 * @param checkpoints every checkpoint of the log
 * @param missing rows that are named as missing
 */
export async function acceptState(
  { write, writeError, now }: AcceptingProcess,
  config: Config,
  database: Database,
  { checkpoints, missing }: { readonly checkpoints: AsyncIterable<Checkpoint>; readonly missing: readonly AuditGap[] },
): Promise<0 | 1 | 2> {
  const chain = await auditChain(config, database);
  const keys = await checkpointKeys(config);
  const publicKeys = [keys.checkpointKey.publicKey, ...keys.publicKeys];
  const found = await compareAuditLog(config, { ...chain, publicKeys });

  async function record({ gaps }: Acceptance): Promise<void> {
    const sink = createPostgresAuditSink({ ...chain, now });
    const event = {
      action: 'audit-record.accept-state',
      actor: 'command',
      parameters: {
        state: found?.state ?? 'unknown',
        lastSequence: found?.lastSequence ?? null,
        missing: found?.missing ? { ...found.missing } : null,
        gaps: gaps.map((gap) => ({ ...gap })),
        named: missing.map((gap) => ({ ...gap })),
        checkpoint: found?.checkpoint?.sequence ?? null,
      },
    };
    await sink.append([createAuditRecord(event, { id: createRecordIds(now)(), occurredAt: now() })]);
    await sink.close();
  }

  const checkpoint: readonly CheckpointWriter[] = await checkpointPlaces(config, null);
  const accepting = acceptAuditState({ ...chain, ...keys, checkpoints, checkpoint, missing, record, now });
  const accepted = await accepting.catch((error: unknown) => {
    if (error instanceof AuditRowsMissingError) return error;
    throw error;
  });
  if (found !== null) write(`${found.detail}\n`);
  if (accepted instanceof AuditRowsMissingError) {
    for (const gap of accepted.unnamed)
      write(`deleted ${rowsText(gap)}: No restart or failover explains it, as far as the checkpoints show.\n`);
    const options = accepted.unnamed.map((gap) => ` --missing ${rowsText(gap)}`).join('');
    const remedy =
      options === ''
        ? ''
        : ' A server that lost rows names them in a checkpoint within a minute. Otherwise find out who deleted them. ' +
          `To accept that they are missing: accept-state${options}`;
    writeError(`${accepted.message}.${remedy}\n`);
    return 1;
  }
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

/** The rows in the form of the option `--missing`. */
const rowsText = ({ from, to }: AuditGap) => (from === to ? `${from}` : `${from}-${to}`);

/** @throws TypeError */
export function readMissing(texts: readonly string[]): AuditGap[] {
  return texts.map((text) => {
    const [, from, to = from] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? [];
    if (from === undefined || Number(from) < 1 || Number(to) < Number(from))
      throw new TypeError('--missing must be a row, or the first and the last one: 3, or 8-9.');
    return { from: Number(from), to: Number(to) };
  });
}
