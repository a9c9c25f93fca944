import { type AuditOutcome, completionId, createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  type AuditFinding,
  AuditLogBrokenError,
  type Checkpoint,
  createPostgresAuditSink,
  generateCheckpointKey,
  readCheckpointFile,
  retainAuditRecords,
  verifyAuditLog,
} from '@sallyport/audit-log/postgres';
import { readCommandLine, unknownWordFault } from '@sallyport/plugin-kit/command-line';
import { type Config, readConfig } from '../config/config.js';
import {
  auditChain,
  checkpointKeys,
  checkpointPlaces,
  checkpointsOf,
  missingRows,
} from '../modules/audit-records/index.js';
import type { Database } from '../storage/database.js';
import { failureText } from '../storage/failure-text.js';
import { acceptState, readMissing } from './accept-audit-state.js';
import type { DatabaseCommandProcess } from './command-process.js';
import { reconcile } from './reconcile/index.js';

const USAGE = `node dist/commands/audit.js verify [--checkpoints FILE]...
node dist/commands/audit.js reconcile [--since TIME]
node dist/commands/audit.js retain --keep-days N [--checkpoint FILE] [--even-if-undelivered]
node dist/commands/audit.js accept-state [--checkpoints FILE]... [--missing ROWS]...
node dist/commands/audit.js make-key NAME
node dist/commands/audit.js public-key

verify lists every row of the audit log that was changed, inserted, deleted, reordered or cut off.
reconcile compares the success records with the rows of the tables, both ways, and lists every difference. It does not
verify the records: run verify as well. With --since, rows that were made before TIME need no record; retention excuses
the rows whose records it deleted.
retain verifies the records older than N days, deletes them, and writes a signed checkpoint of the cut.
It keeps those that a receiver has not acknowledged yet, unless --even-if-undelivered is given.
accept-state accepts a log that was cut, restored to an older state, or lost rows in a failover: it records that, and
signs a checkpoint of the log as it is, which names the missing rows. verify lists them, and names only what comes after.
Run verify first: its findings about missing rows end with that. Servers that run may go on.
It accepts the rows that checkpoints name as lost. Where other rows are missing, somebody deleted them: it lists them,
accepts nothing and exits with 1, unless --missing names all of them: --missing 3 --missing 8-9.
make-key makes a key for SERVICE_AUDIT_CHECKPOINT_KEY. NAME is the origin of the checkpoints: api.example.com/audit.
public-key prints the public half of SERVICE_AUDIT_CHECKPOINT_KEY, for those who verify the log.

All but make-key read the environment of the server. The default checkpoint file is SERVICE_AUDIT_CHECKPOINT_FILE.
Stop the server first if it uses the embedded database.

Exit status: 0 success, and the log is intact but for what was accepted; 1 the log is not intact, or does not agree
with the rows; 2 the command failed.
`;

const DAY_MILLIS = 86_400_000;

/**
 * Verifies the audit log, deletes old records (AUD-6), accepts a state (AUD-9), shows keys (AUD-12), or compares the
 * log with the rows (AUD-16). Resolves to the exit status.
 */
export async function runAuditCommand(process: DatabaseCommandProcess): Promise<0 | 1 | 2> {
  try {
    const given = readArguments(process.argv);
    if (given.command === 'help') {
      process.write(USAGE);
      return 0;
    }
    if (given.command === 'make-key') return makeKey(process, given.name);
    return await withDatabase(process, given);
  } catch (error) {
    if (error instanceof AuditLogBrokenError) return reportBroken(process, error);
    process.writeError(`Nothing was done. ${failureText(error)}\n`);
    return 2;
  }
}

async function withDatabase(process: DatabaseCommandProcess, given: Arguments): Promise<0 | 1 | 2> {
  const config = readConfig(process.env);
  if (given.command === 'public-key') {
    process.write(`${(await checkpointKeys(config)).checkpointKey.publicKey}\n`);
    return 0;
  }
  const cut = given.command === 'retain' ? readCut(process, config, given) : null;
  const since = readTime(given.since);
  const files = filesOf(config, given);
  const missing = readMissing(given.missing);
  if (given.command === 'accept-state' && config['audit.checkpoint-file'] === null)
    throw new TypeError('The accepted state needs a file: set SERVICE_AUDIT_CHECKPOINT_FILE.');
  const database = await process.openDatabase(config);
  try {
    if (cut !== null) return await retain(process, config, database, cut);
    if (given.command === 'accept-state')
      return await acceptState(process, config, database, { checkpoints: existing(files), missing });
    if (given.command === 'reconcile') return await reconcile(process, database, since);
    return await verify(process, config, database, files);
  } finally {
    await database.close();
  }
}

type Arguments = ReturnType<typeof readArguments>;

const COMMANDS = ['verify', 'reconcile', 'retain', 'accept-state', 'make-key', 'public-key', 'help'];

function readArguments(argv: readonly string[]) {
  const { values, positionals } = readCommandLine(argv, {
    // The word after make-key is a name.
    words: 'any',
    options: {
      checkpoints: { type: 'string', multiple: true, default: [] },
      checkpoint: { type: 'string' },
      'keep-days': { type: 'string' },
      'even-if-undelivered': { type: 'boolean', default: false },
      since: { type: 'string' },
      missing: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command = 'help', ...more] = positionals;
  if (values.help) return { ...values, command: 'help', name: '' };
  if (!COMMANDS.includes(command)) throw new TypeError(unknownWordFault(command, COMMANDS));
  const hasName = command === 'make-key';
  if (more.length !== (hasName ? 1 : 0))
    throw new TypeError('Expected verify, reconcile, retain, accept-state, make-key NAME or public-key; see --help.');
  return { ...values, command, name: more[0] ?? '' };
}

function makeKey({ write }: DatabaseCommandProcess, name: string): 0 {
  const { privateKey, publicKey } = generateCheckpointKey(name);
  write(`private ${privateKey}\npublic  ${publicKey}\n`);
  return 0;
}

function filesOf(config: Config, { checkpoints }: Arguments): readonly string[] {
  const own = config['audit.checkpoint-file'];
  return checkpoints.length > 0 || own === null ? checkpoints : [own];
}

/** For a new file without a checkpoint. */
async function* existing(files: readonly string[]): AsyncGenerator<Checkpoint> {
  for (const file of files) yield* checkpointsOf(file);
}

async function* readFiles(files: readonly string[]): AsyncGenerator<Checkpoint> {
  for (const file of files) yield* readCheckpointFile(file);
}

async function verify(
  { write }: DatabaseCommandProcess,
  config: Config,
  database: Database,
  files: readonly string[],
): Promise<0 | 1> {
  const { checkpointKey, publicKeys } = await checkpointKeys(config);
  const result = await verifyAuditLog({
    ...(await auditChain(config, database)),
    publicKeys: [checkpointKey.publicKey, ...publicKeys],
    checkpoints: readFiles(files),
  });
  const covered = result.coveredTo === 0 ? '' : `, the last of which covers row ${result.coveredTo}`;
  const read = `${result.rows} rows up to ${result.lastSequence}, ${result.checkpoints} checkpoints${covered}`;
  write(result.findings.map(lineOf).join(''));
  for (const { at, since, gaps } of result.accepted) {
    write(`The log was accepted at ${at}: earlier checkpoints of rows after ${since} do not count.\n`);
    for (const gap of gaps) write(`${missingRows(gap)} That was accepted with it.\n`);
  }
  write(result.intact ? `The audit log is intact: ${read}.\n` : `The audit log is not intact: ${read}.\n`);
  if (files.length === 0) write('Without checkpoints, missing newest rows cannot be detected.\n');
  return result.intact ? 0 : 1;
}

/** A time in ISO 8601, in milliseconds since the Unix epoch. */
function readTime(text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}(?:T.*(?:Z|[+-]\d{2}:\d{2}))?$/.test(text) || Number.isNaN(time))
    throw new TypeError('--since must be a date, or a time with its zone: 2026-11-30, or 2026-11-30T08:00:00Z.');
  return time;
}

interface Cut {
  /** The time before which records are deleted, in milliseconds since the Unix epoch. */
  readonly before: number;
  /** The file for the checkpoint. */
  readonly file: string;
  /** Whether records that a receiver has not acknowledged are deleted as well. */
  readonly evenIfUndelivered: boolean;
}

function readCut({ now }: DatabaseCommandProcess, config: Config, given: Arguments): Cut {
  const days = Number(given['keep-days']);
  if (!Number.isSafeInteger(days) || days < 1) throw new TypeError('--keep-days must be a whole number from 1.');
  const file = given.checkpoint ?? config['audit.checkpoint-file'];
  if (file === null)
    throw new TypeError('The checkpoint needs a file: set --checkpoint FILE or SERVICE_AUDIT_CHECKPOINT_FILE.');
  return { before: now() - days * DAY_MILLIS, file, evenIfUndelivered: given['even-if-undelivered'] };
}

async function retain(
  { write, now }: DatabaseCommandProcess,
  config: Config,
  database: Database,
  { before, file, evenIfUndelivered }: Cut,
): Promise<0> {
  const chain = await auditChain(config, database);
  const keys = await checkpointKeys(config);
  const checkpoint = await checkpointPlaces(config, null, file);
  // The deletion itself is recorded, both before it is made and when it has ended (AUD-8).
  const sink = createPostgresAuditSink({ ...chain, ...keys, checkpoint, now });
  const origin = { id: createRecordIds(now)(), occurredAt: now() };
  const event = { action: 'audit-record.retain', actor: 'command', parameters: { before } };
  const end = (outcome: AuditOutcome, result: object) =>
    createAuditRecord(
      { ...event, outcome, parameters: { before, ...result } },
      { ...origin, id: completionId(origin.id) },
    );
  await sink.begin([createAuditRecord({ ...event, outcome: 'unknown' }, origin)]);
  const { deleted, cut, heldBackBy } = await retainAuditRecords({
    ...{ ...chain, ...keys, before, checkpoint, evenIfUndelivered, now },
    checkpoints: checkpointsOf(file),
  }).catch(async (error: unknown) => {
    // Nothing was deleted. Any other failure may have occurred during the deletion.
    if (error instanceof AuditLogBrokenError) await sink.append([end('refused', {})]);
    await sink.close();
    throw error;
  });
  await sink.append([end('success', { deleted, cut: cut?.sequence, heldBackBy })]);
  await sink.close();
  write(`${deleted} audit records from before ${new Date(before).toISOString()} were deleted.\n`);
  if (heldBackBy !== null)
    write(`Others that old were kept: the receiver ${heldBackBy} has not acknowledged them (--even-if-undelivered).\n`);
  return 0;
}

function reportBroken({ write, writeError }: DatabaseCommandProcess, { findings, message }: AuditLogBrokenError): 1 {
  write(findings.map(lineOf).join(''));
  writeError(`${message}. Nothing was deleted.\n`);
  return 1;
}

function lineOf({ kind, sequence, lastSequence, id, detail }: AuditFinding): string {
  const place = lastSequence === sequence ? `${sequence}` : `${sequence} to ${lastSequence}`;
  return `${kind} ${place}${id === null ? '' : ` ${id}`}: ${detail}\n`;
}
