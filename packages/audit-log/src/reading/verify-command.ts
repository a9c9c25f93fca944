import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { SetupError } from '@sallyport/plugin-kit/options';
import {
  type AuditKey,
  defineAuditChainHeads,
  defineAuditPending,
  defineAuditRecords,
  describeFailure,
  parseAuditKey,
} from '../chain/index.js';
import { readCheckpointFile } from '../checkpoints/index.js';
import { type AuditGap, type Checkpoint, describeGaps } from '../notes/index.js';
import type { AuditFinding } from './finding.js';
import { type AuditVerification, verifyAuditLog } from './verify.js';

const USAGE = `sallyport-audit-verify [--public-key KEY]... [--checkpoints FILE]... [--table NAME] [--heads NAME]
                       [--pending NAME] [--json]

Verifies an audit log on PostgreSQL, and names the rows that were changed, inserted, deleted, reordered or cut off.

With the public key alone it compares the log with its signed checkpoints, and finds a change within the rows of one
checkpoint. With the key of the chain, too, it verifies each row. A holder of the key of the chain can forge a log that
passes without checkpoints; a holder of the private key of the checkpoints can forge checkpoints, but not replace those
that were stored elsewhere. Rows after the last checkpoint can be cut off.

  --public-key KEY    a public key of the checkpoints, as name+hash+base64; may be repeated
  --checkpoints FILE  a file of checkpoints, or of JSON log lines with checkpoints; may be repeated
  --table NAME        the table of records (default: audit_records)
  --heads NAME        the table of chain heads (default: audit_chain_heads)
  --pending NAME      the table of pending records (default: audit_pending)
  --json              print the result as one line of JSON

  DATABASE_URL         the database of the log
  AUDIT_PUBLIC_KEY     public keys of the checkpoints, separated by commas
  AUDIT_KEY            the key of the chain, as id:secret or id:sm3:secret, the secret in hexadecimal digits
  AUDIT_KEY_FILE       a file with the key of the chain, instead of AUDIT_KEY
  AUDIT_PREVIOUS_KEYS  earlier keys of the chain, separated by commas

Exit status: 0 the log is intact, or an operator accepted what is missing; 1 it is not; 2 it could not be verified.
`;

/** The parts of a process that the command uses. */
export interface CommandProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** Runs the command, and resolves to its exit status. */
export async function runVerifyCommand(process: CommandProcess): Promise<0 | 1 | 2> {
  try {
    const options = readArguments(process.argv);
    if (options.help) {
      process.write(USAGE);
      return 0;
    }
    const result = await verifyAt(process.env, options);
    process.write(options.json ? `${JSON.stringify(result)}\n` : report(result));
    return result.intact ? 0 : 1;
  } catch (error) {
    process.writeError(`The audit log could not be verified: ${reasonOf(error)}\n`);
    return 2;
  }
}

/** The reason on one line, without any content of a record. */
function reasonOf(error: unknown): string {
  return error instanceof SetupError ? `${error.subject}: ${error.faults.join('; ')}` : describeFailure(error).message;
}

interface CommandOptions {
  readonly 'public-key': readonly string[];
  readonly checkpoints: readonly string[];
  readonly table: string;
  readonly heads: string;
  readonly pending: string;
  readonly json: boolean;
  readonly help: boolean;
}

function readArguments(argv: readonly string[]): CommandOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      'public-key': { type: 'string', multiple: true, default: [] },
      checkpoints: { type: 'string', multiple: true, default: [] },
      table: { type: 'string', default: 'audit_records' },
      heads: { type: 'string', default: 'audit_chain_heads' },
      pending: { type: 'string', default: 'audit_pending' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values;
}

async function verifyAt(env: CommandProcess['env'], options: CommandOptions): Promise<AuditVerification> {
  const { DATABASE_URL, AUDIT_PUBLIC_KEY = '', AUDIT_PREVIOUS_KEYS = '' } = env;
  if (!DATABASE_URL) throw new TypeError('DATABASE_URL must be the URL of the database of the log');
  const key = await readKey(env);
  const publicKeys = [...options['public-key'], ...AUDIT_PUBLIC_KEY.split(',').filter(Boolean)];
  if (key === null && publicKeys.length === 0) {
    throw new TypeError(
      '--public-key or AUDIT_PUBLIC_KEY must give the public key of the checkpoints, or AUDIT_KEY or AUDIT_KEY_FILE the key of the log',
    );
  }
  const previousKeys = AUDIT_PREVIOUS_KEYS.split(',').filter(Boolean).map(parseAuditKey);
  const { database, close } = await connect(DATABASE_URL);
  try {
    return await verifyAuditLog({
      database,
      table: defineAuditRecords(options.table),
      heads: defineAuditChainHeads(options.heads),
      pending: defineAuditPending(options.pending),
      key,
      previousKeys,
      publicKeys,
      checkpoints: checkpointsOf(options.checkpoints),
    });
  } finally {
    await close();
  }
}

async function readKey({ AUDIT_KEY, AUDIT_KEY_FILE }: CommandProcess['env']): Promise<AuditKey | null> {
  if (AUDIT_KEY) return parseAuditKey(AUDIT_KEY);
  if (AUDIT_KEY_FILE) return parseAuditKey(await readFile(AUDIT_KEY_FILE, 'utf8'));
  return null;
}

async function* checkpointsOf(paths: readonly string[]): AsyncGenerator<Checkpoint> {
  for (const path of paths) {
    try {
      yield* readCheckpointFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new TypeError(
        `--checkpoints ${path} does not exist: name the file that checkpoints are written to, or leave the option out if none was written yet`,
      );
    }
  }
}

async function connect(url: string) {
  // Loaded here, because applications that don't run the command may not have these packages installed.
  const [{ default: postgres }, { drizzle }] = await Promise.all([
    import('postgres'),
    import('drizzle-orm/postgres-js'),
  ]).catch(() => {
    throw new Error('install postgres and drizzle-orm together with @sallyport/audit-log');
  });
  const client = postgres(url, { max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => {} });
  return { database: drizzle(client), close: () => client.end({ timeout: 5 }) };
}

function report(result: AuditVerification): string {
  const { intact, findings, rows, lastSequence, checkpoints, coveredTo } = result;
  const covered = coveredTo === 0 ? '' : `, the last of which covers row ${coveredTo}`;
  const read = `${rows} rows up to ${lastSequence}, ${checkpoints} checkpoints${covered}`;
  const verdict = intact
    ? `The log is intact: ${read}.`
    : `The log is not intact: ${findings.length} findings in ${read}.`;
  const accepted = result.accepted.map(
    ({ at, since, gaps }) =>
      `An operator accepted the log at ${at}: earlier checkpoints of rows after ${since} do not count.${missingRows(gaps)}`,
  );
  return [...findings.map(lineOf), ...accepted, verdict, ''].join('\n');
}

function missingRows(gaps: readonly AuditGap[]): string {
  return gaps.length === 0 ? '' : ` Missing rows: ${describeGaps(gaps)}.`;
}

function lineOf({ kind, sequence, lastSequence, id, detail }: AuditFinding): string {
  const place = describeGaps([{ from: sequence, to: lastSequence }]);
  return `${kind} ${place}${id === null ? '' : ` ${id}`}: ${detail}`;
}
