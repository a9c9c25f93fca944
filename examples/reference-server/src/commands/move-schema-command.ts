import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { DrizzleQueryError } from 'drizzle-orm';
import { ConfigError, inspectConfig, type Property } from '../config/config.js';
import { movePostgresSchema } from '../storage/postgres.js';
import type { MovedSchema, SchemaMove } from '../storage/schema-move.js';

const USAGE = `node dist/commands/move-schema.js --to SCHEMA [--from SCHEMA] [--dry-run] [--discard-messages]

Moves the tables of the server, with their rows, indexes and sequences, from one schema of PostgreSQL into another one of
the same database, for example out of a schema that another application uses, too. Everything else stays where it is.
Stop the servers first. Afterwards start them with SERVICE_DATABASE_SCHEMA set to the new schema.

It reads SERVICE_DATABASE_URL, SERVICE_DATABASE_SCHEMA and SERVICE_REDIS_URL. It is one transaction: all is moved, or
nothing. A second run changes nothing.

--from              default: SERVICE_DATABASE_SCHEMA
--dry-run           prints what would be moved and what prevents it, and changes nothing
--discard-messages  deletes the messages that wait in the queue of PostgreSQL, which is not moved

Exit status: 0 success; 2 the command failed, or would fail.
`;

/** The parts of a process that the command uses. */
export interface MoveSchemaProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** Moves the tables of the server into another schema (OPS-13). Resolves to the exit status. */
export async function runMoveSchemaCommand({ argv, env, write, writeError }: MoveSchemaProcess): Promise<0 | 2> {
  try {
    const given = readArguments(argv);
    if (given.help) {
      write(USAGE);
      return 0;
    }
    const { url, move } = readMove(env, given);
    const moved = await movePostgresSchema(url, move);
    write(describe(move, moved));
    return moved.blockers.length === 0 ? 0 : 2;
  } catch (error) {
    const reason = reasonOf(error);
    writeError(`Nothing was moved. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}\n`);
    return 2;
  }
}

function readArguments(argv: readonly string[]) {
  const { values } = readCommandLine(argv, {
    options: {
      to: { type: 'string' },
      from: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'discard-messages': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values;
}

function readMove(
  env: MoveSchemaProcess['env'],
  given: ReturnType<typeof readArguments>,
): { readonly url: string; readonly move: SchemaMove } {
  if (given.to === undefined) throw new TypeError('Expected --to SCHEMA; see --help.');
  const { 'database-url': url, 'database-schema': from, 'redis-url': redisUrl } = readSchema(env, given.from);
  if (url === null) throw new TypeError('SERVICE_DATABASE_URL is not set: the embedded database has one schema.');
  const { 'database-schema': to } = readSchema(env, given.to);
  const options = { isDryRun: given['dry-run'], discardsMessages: given['discard-messages'] };
  return { url, move: { from, to, hasQueue: redisUrl === null, ...options } };
}

const NEEDED: readonly (Property | null)[] = ['database-url', 'database-schema', 'redis-url', null];

/**
 * A name is read like the setting. Keys and other settings are optional here, but a misspelt name is always a fault.
 */
function readSchema(env: MoveSchemaProcess['env'], name: string | undefined) {
  const { config, faults } = inspectConfig(name === undefined ? env : { ...env, SERVICE_DATABASE_SCHEMA: name });
  const own = faults.filter(({ property }) => NEEDED.includes(property));
  if (own.length === 0) return config;
  throw new ConfigError(own.map(({ variable, reason, fix }) => `${variable} ${reason}; ${fix}`));
}

function describe({ from, to, isDryRun }: SchemaMove, { objects, blockers }: MovedSchema): string {
  if (objects.length === 0) {
    return `Nothing to move: the tables of the server are in the schema "${to}". Set SERVICE_DATABASE_SCHEMA=${to}.\n`;
  }
  const list = objects.map((object) => `    ${object}\n`).join('');
  if (!isDryRun) {
    return `Moved from the schema "${from}" to "${to}":\n${list}Start the server with SERVICE_DATABASE_SCHEMA=${to}.\n`;
  }
  const prevented = blockers.map((blocker) => `It would be refused: ${blocker}.\n`).join('');
  return `Would be moved from the schema "${from}" to "${to}":\n${list}${prevented}`;
}

/** The error of PostgreSQL has the reason, for example the owner of a table. */
function reasonOf(error: unknown): string {
  const { message, code } = (error instanceof DrizzleQueryError ? error.cause : error) as Error & { code?: unknown };
  if (code === '55P03') return 'Another session uses the tables, or migrates them: stop it, and try again.';
  return message || String(code);
}
