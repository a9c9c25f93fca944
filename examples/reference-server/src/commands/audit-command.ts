import { parseArgs } from 'node:util';
import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import {
  type AuditFinding,
  AuditLogBrokenError,
  createFileCheckpoint,
  createPostgresAuditSink,
  readCheckpointFile,
  retainAuditRecords,
  verifyAuditLog,
} from '@sallyport/audit-log/postgres';
import { type Config, readConfig } from '../config/config.js';
import { auditChain } from '../modules/audit-records/index.js';
import type { Database } from '../storage/database.js';

const USAGE = `node dist/commands/audit.js verify [--checkpoints FILE]...
node dist/commands/audit.js retain --keep-days N [--checkpoint FILE] [--even-if-undelivered]

verify lists every row of the audit log that was changed, inserted, deleted, reordered or cut off.
retain verifies the records older than N days, deletes them, and writes a signed checkpoint of the cut.
It keeps those that a receiver has not acknowledged yet, unless --even-if-undelivered is given.

Both read the environment of the server. The default checkpoint file is SERVICE_AUDIT_CHECKPOINT_FILE.
Stop the server first if it uses the embedded database.

Exit status: 0 success, and the log is intact; 1 the log is not intact; 2 the command failed.
`;

const DAY_MILLIS = 86_400_000;

/** The parts of a process that the command uses. */
export interface AuditCommandProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** The command closes what it opened. */
  readonly openDatabase: (config: Config) => Promise<Database>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** Verifies the audit log, or deletes old records (AUD-6). Resolves to the exit status. */
export async function runAuditCommand(process: AuditCommandProcess): Promise<0 | 1 | 2> {
  try {
    const given = readArguments(process.argv);
    if (given.command === 'help') {
      process.write(USAGE);
      return 0;
    }
    const config = readConfig(process.env);
    const cut = given.command === 'retain' ? readCut(process, config, given) : null;
    const database = await process.openDatabase(config);
    try {
      if (cut === null) return await verify(process, config, database, given.checkpoints);
      return await retain(process, config, database, cut);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof AuditLogBrokenError) return reportBroken(process, error);
    process.writeError(`Nothing was done. ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

type Arguments = ReturnType<typeof readArguments>;

function readArguments(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      checkpoints: { type: 'string', multiple: true, default: [] },
      checkpoint: { type: 'string' },
      'keep-days': { type: 'string' },
      'even-if-undelivered': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command = 'help', ...more] = positionals;
  if (values.help) return { ...values, command: 'help' };
  if (!['verify', 'retain', 'help'].includes(command) || more.length > 0)
    throw new TypeError('Expected verify or retain; see --help.');
  return { ...values, command };
}

async function verify(
  { write }: AuditCommandProcess,
  config: Config,
  database: Database,
  given: readonly string[],
): Promise<0 | 1> {
  const own = config['audit.checkpoint-file'];
  const files = given.length > 0 || own === null ? given : [own];
  async function* checkpoints() {
    for (const file of files) yield* readCheckpointFile(file);
  }
  const result = await verifyAuditLog({ ...(await auditChain(config, database)), checkpoints: checkpoints() });
  const read = `${result.rows} rows up to ${result.lastSequence}, ${result.checkpoints} checkpoints`;
  write(result.findings.map(lineOf).join(''));
  write(result.intact ? `The audit log is intact: ${read}.\n` : `The audit log is not intact: ${read}.\n`);
  if (files.length === 0) write('Without checkpoints, missing newest rows cannot be detected.\n');
  return result.intact ? 0 : 1;
}

interface Cut {
  /** Older records are deleted; milliseconds since the Unix epoch. */
  readonly before: number;
  /** The file for the checkpoint. */
  readonly file: string;
  /** Also those that a receiver has not acknowledged. */
  readonly evenIfUndelivered: boolean;
}

function readCut({ now }: AuditCommandProcess, config: Config, given: Arguments): Cut {
  const days = Number(given['keep-days']);
  if (!Number.isSafeInteger(days) || days < 1) throw new TypeError('--keep-days must be a whole number from 1.');
  const file = given.checkpoint ?? config['audit.checkpoint-file'];
  if (file === null)
    throw new TypeError('The checkpoint needs a file: set --checkpoint FILE or SERVICE_AUDIT_CHECKPOINT_FILE.');
  return { before: now() - days * DAY_MILLIS, file, evenIfUndelivered: given['even-if-undelivered'] };
}

async function retain(
  { write, now }: AuditCommandProcess,
  config: Config,
  database: Database,
  { before, file, evenIfUndelivered }: Cut,
): Promise<0> {
  const chain = await auditChain(config, database);
  const checkpoint = createFileCheckpoint(file);
  const options = { ...chain, before, checkpoint, evenIfUndelivered, now };
  const { deleted, cut, heldBackBy } = await retainAuditRecords(options);

  // The deletion itself is recorded.
  const sink = createPostgresAuditSink({ ...chain, checkpoint, now });
  const event = {
    action: 'audit-record.retain',
    actor: 'command',
    parameters: { before, deleted, cut: cut?.sequence, heldBackBy },
  };
  await sink.append([createAuditRecord(event, { id: createRecordIds(now)(), occurredAt: now() })]);
  await sink.close();
  write(`${deleted} audit records from before ${new Date(before).toISOString()} were deleted.\n`);
  if (heldBackBy !== null)
    write(`Others that old were kept: the receiver ${heldBackBy} has not acknowledged them (--even-if-undelivered).\n`);
  return 0;
}

function reportBroken({ write, writeError }: AuditCommandProcess, { findings, message }: AuditLogBrokenError): 1 {
  write(findings.map(lineOf).join(''));
  writeError(`${message}. Nothing was deleted.\n`);
  return 1;
}

function lineOf({ kind, sequence, lastSequence, id, detail }: AuditFinding): string {
  const place = lastSequence === sequence ? `${sequence}` : `${sequence} to ${lastSequence}`;
  return `${kind} ${place}${id === null ? '' : ` ${id}`}: ${detail}\n`;
}
