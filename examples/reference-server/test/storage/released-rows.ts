import { readdirSync, readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/database.js';
import { MIGRATION_JOURNAL } from '../../src/storage/migration-journal.js';
import { migrationsFolder } from '../../src/storage/migrations.js';
import { rowsOf } from '../../src/storage/schema-target.js';

/** A row as texts: timestamps in ISO 8601 with microseconds, all else as PostgreSQL casts it. */
export type Row = Readonly<Record<string, string | null>>;

/** The rows of every table. */
export type Tables = Readonly<Record<string, readonly Row[]>>;

type Orm = Pick<Database['orm'], 'execute'>;

interface Journal {
  readonly entries: readonly { readonly idx: number; readonly when: number; readonly tag: string }[];
}

const journal: Journal = JSON.parse(readFileSync(join(migrationsFolder, 'meta/_journal.json'), 'utf8'));

/** The tags of the migrations, such as `0000_initial`, in their order. */
export const releases: readonly string[] = journal.entries.map(({ tag }) => tag);

const ROWS = fileURLToPath(new URL('release-rows/', import.meta.url));

/** The releases with a file of rows: the tables that the migration creates or changes, filled as that release does. */
export const filledReleases: readonly string[] = readdirSync(ROWS)
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

function filesOf(tags: readonly string[]): readonly Tables[] {
  return tags.map((tag) => JSON.parse(readFileSync(join(ROWS, `${tag}.json`), 'utf8')) as Tables);
}

/** The rows of a database of the release. */
export function rowsOfRelease(tag: string): Tables {
  return Object.assign({}, ...filesOf(releases.slice(0, releases.indexOf(tag) + 1))) as Tables;
}

/** Stands for a value that a migration makes up, such as the id of a new row. */
const MADE_UP = 'made up by a migration';

/** What a migration means for the rows that it finds. One that is missing here leaves them as they are. */
const meanings: Readonly<Record<string, (rows: Tables) => Tables>> = {
  '0001_administrator_roles': (rows) => withColumn(rows, 'administrators', 'version', '1'),
  '0002_permissions_of_roles_only': permissionsBecomeRoles,
  '0009_app_user_disabled': (rows) => withColumn(rows, 'app_users', 'disabled', 'false'),
  '0013_file_contents': (rows) => withColumn(rows, 'stored_files', 'created_by_audience', 'admin'),
  '0017_password_rules': ageBeginsNow,
  '0020_last_sign_in': useBeginsNow,
};

/** The rows of the release after all later migrations. */
export function expectedOf(tag: string): Tables {
  const later = releases.slice(releases.indexOf(tag) + 1);
  return later.reduce<Tables>((rows, next) => meanings[next]?.(rows) ?? rows, rowsOfRelease(tag));
}

function withColumn(rows: Tables, table: string, column: string, value: string): Tables {
  const found = rows[table];
  return found === undefined ? rows : { ...rows, [table]: found.map((row) => ({ ...row, [column]: value })) };
}

/** The age of every password counts from the migration, so that no account is locked out by it (PWD-7). */
function ageBeginsNow(rows: Tables): Tables {
  const initial = withColumn(rows, 'administrators', 'password_is_initial', 'false');
  return ['administrators', 'app_users'].reduce(
    (all, table) => withColumn(withColumn(all, table, 'password_history', '{}'), table, 'password_changed_at', MADE_UP),
    initial,
  );
}

/** Every account counts as used at the migration, so that none is locked out by it (PWD-7). */
function useBeginsNow(rows: Tables): Tables {
  return ['administrators', 'app_users'].reduce(
    (all, table) => withColumn(all, table, 'last_signed_in_at', MADE_UP),
    rows,
  );
}

/** Each set of permissions becomes a role, and every account gets the roles that equal its permissions. */
function permissionsBecomeRoles(rows: Tables): Tables {
  const accounts = rows.administrators ?? [];
  // PostgreSQL orders arrays element by element; a longer one follows its beginning.
  const orderOf = (set: string) => set.slice(0, -1);
  const sets = [...new Set(accounts.map(({ permissions }) => permissions ?? ''))]
    .filter((set) => set !== '{}')
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const made = sets.map((permissions, index) => {
    const name = permissions === '{*}' ? 'Full access' : `Migrated permissions ${index + 1}`;
    return { id: name, name, permissions, version: '1', created_at: MADE_UP, updated_at: MADE_UP };
  });
  const roles: readonly Row[] = [...(rows.roles ?? []), ...made];
  const granted = accounts.flatMap(({ id, permissions }) =>
    roles
      .filter((role) => role.permissions === permissions)
      .map((role) => ({ administrator_id: id ?? null, role_id: role.id ?? null })),
  );
  return {
    ...rows,
    administrators: accounts.map(({ permissions: _, ...rest }) => rest),
    roles,
    administrator_roles: [...(rows.administrator_roles ?? []), ...granted],
  };
}

/** Shows the values that a migration made up as they are expected. */
export function withMadeUp(found: Tables, expected: Tables): Tables {
  const made = new Map(
    (expected.roles ?? []).filter((role) => role.created_at === MADE_UP).map((role) => [role.name, role]),
  );
  const ids = new Map(
    (found.roles ?? []).filter(({ name }) => made.has(name)).map(({ id, name }) => [id, name ?? null]),
  );
  const shown = (id: string | null | undefined) => ids.get(id) ?? id ?? null;
  return {
    ...found,
    ...withMigrationTimes(found, expected),
    roles: (found.roles ?? []).map((role) =>
      made.has(role.name) ? { ...role, id: shown(role.id), created_at: MADE_UP, updated_at: MADE_UP } : role,
    ),
    administrator_roles: (found.administrator_roles ?? []).map((row) => ({ ...row, role_id: shown(row.role_id) })),
  };
}

/** Passwords whose age, and accounts whose use, begins with the migration, at a time of this run. */
function withMigrationTimes(found: Tables, expected: Tables): Tables {
  const isRecent = (at: string | null | undefined) => Math.abs(Date.now() - Date.parse(at ?? '')) < 3_600_000;
  const tables = ['administrators', 'app_users'].map((table) => {
    const madeUp = ['password_changed_at', 'last_signed_in_at'].filter((column) =>
      (expected[table] ?? []).some((row) => row[column] === MADE_UP),
    );
    const shown = (found[table] ?? []).map((row) => ({
      ...row,
      ...Object.fromEntries(madeUp.filter((column) => isRecent(row[column])).map((column) => [column, MADE_UP])),
    }));
    return [table, shown];
  });
  return Object.fromEntries(tables);
}

/** The columns of every table of the server, with their types. */
export async function columnsOf(orm: Orm): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const rows = await rowsOf<{ table: string; column: string; type: string }>(
    orm,
    sql`select table_name as "table", column_name as "column", data_type as type from information_schema.columns
      where table_schema = 'public' and table_name <> ${MIGRATION_JOURNAL} order by table_name, ordinal_position`,
  );
  const tables = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    tables.set(table, (tables.get(table) ?? new Map<string, string>()).set(column, type));
  }
  return tables;
}

/** Inserts a row. */
export async function insertRow(orm: Orm, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row).map((column) => sql.identifier(column));
  // As literals: the driver would convert parameters by the types of the columns.
  const values = Object.values(row).map((value) =>
    value === null ? sql`null` : sql.raw(`'${value.replaceAll("'", "''")}'`),
  );
  const list = (parts: Parameters<typeof sql.join>[0]) => sql.join(parts, sql`, `);
  await orm.execute(sql`insert into ${sql.identifier(table)} (${list(columns)}) values (${list(values)})`);
}

/** The content of every table, in any order of rows. */
export async function readTables(orm: Orm): Promise<Tables> {
  const tables: Record<string, Row[]> = {};
  for (const [table, columns] of await columnsOf(orm)) {
    const shown = [...columns].map(([column, type]) => {
      const name = sql.identifier(column);
      const text =
        type === 'timestamp with time zone'
          ? sql`to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
          : sql`${name}::text`;
      return sql`${text} as ${name}`;
    });
    tables[table] = await rowsOf<Row>(orm, sql`select ${sql.join(shown, sql`, `)} from ${sql.identifier(table)}`);
  }
  return tables;
}

/** Sorts the rows of each table, and the columns of each row. */
export function sorted(tables: Tables): Record<string, string[]> {
  const textOf = (row: Row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  return Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, rows.map(textOf).sort()]));
}

/** A folder with the migrations of that release. */
export async function migrationsOfRelease(tag: string, folder: string): Promise<string> {
  const own = join(folder, tag);
  await cp(migrationsFolder, own, { recursive: true });
  const path = join(own, 'meta/_journal.json');
  const whole: Journal = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...whole, entries: whole.entries.slice(0, releases.indexOf(tag) + 1) }));
  return own;
}
