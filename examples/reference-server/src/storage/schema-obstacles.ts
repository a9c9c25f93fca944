import { type SQL, sql } from 'drizzle-orm';
import type { PlannedObject } from './planned-objects.js';
import { type Executing, rowsOf } from './schema-target.js';

/** A reason not to migrate. Nothing was changed. */
export interface SchemaObstacle {
  readonly kind: 'collision' | 'journal' | 'no-schema' | 'other-schema' | 'rights';
  /** The finding, without a full stop. */
  readonly finding: string;
  readonly fix: string;
}

/** A schema and the rights of the connection's role in it. */
export interface SchemaRights {
  readonly exists: boolean;
  readonly mayUse: boolean;
  readonly mayCreateIn: boolean;
  readonly mayCreateSchemas: boolean;
}

/**
 * The number of names in a finding, so that the longest finding is below the length at which the preflight cuts it off.
 */
const MAX_NAMES_PER_FINDING = 10;

export async function readRights(orm: Executing, schema: string): Promise<SchemaRights> {
  const [row] = await rowsOf<Omit<SchemaRights, 'exists'> & { oid: string | null }>(
    orm,
    sql`select found.oid::text as oid, has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
      coalesce(has_schema_privilege(found.oid, 'usage'), false) as "mayUse",
      coalesce(has_schema_privilege(found.oid, 'create'), false) as "mayCreateIn"
    from (select 1) one left join pg_namespace found on found.nspname = ${schema}`,
  );
  if (row === undefined) throw new TypeError('PostgreSQL returned no row');
  return { ...row, exists: row.oid !== null };
}

/** The right that the role lacks to create an object in the schema. Null if it lacks none. */
export function rightsObstacle(schema: string, rights: SchemaRights): SchemaObstacle | null {
  const { exists, mayUse, mayCreateIn, mayCreateSchemas } = rights;
  if (!exists) {
    if (mayCreateSchemas) return null;
    return {
      kind: 'no-schema',
      finding: `the schema "${schema}" does not exist, and the role of SERVICE_DATABASE_URL has no right to create it`,
      fix: `run as the owner of the database, with the name of that role: create schema "${schema}" authorization ROLE`,
    };
  }
  if (mayUse && mayCreateIn) return null;
  return {
    kind: 'rights',
    finding: `the role of SERVICE_DATABASE_URL has no right to create tables in the schema "${schema}"`,
    fix: `run as its owner, with the name of that role: grant usage, create on schema "${schema}" to ROLE; or set SERVICE_DATABASE_SCHEMA to a schema that the role owns`,
  };
}

/** An empty schema, while others hold the tables of a server. */
export function otherSchemaObstacle(schema: string, others: readonly string[]): SchemaObstacle {
  const [first] = others;
  return {
    kind: 'other-schema',
    finding: `the schema "${schema}" has no tables of this server, but the same database has them in the schema ${others.map((name) => `"${name}"`).join(', ')}: the service would start empty, without its accounts`,
    fix: `set SERVICE_DATABASE_SCHEMA=${first}; or move them: node dist/commands/move-schema.js --from ${first} --to ${schema}; or, for another service in the same database, set SERVICE_DATABASE_SCHEMA_IS_NEW=true`,
  };
}

const ANOTHER_SCHEMA =
  'set SERVICE_DATABASE_SCHEMA to another schema, which the server creates, or use another database';

/** In another schema the server would start empty. */
const MOVE =
  'keep the data: move the tables of this server into a schema of their own, with: node dist/commands/move-schema.js --to NAME; then set SERVICE_DATABASE_SCHEMA=NAME';

/**
 * Names objects in the schema that only the migrations should create.
 *
 * @param holdsServer whether the server already has tables
 */
export async function collisionObstacles(
  orm: Executing,
  schema: string,
  planned: readonly PlannedObject[],
  holdsServer: boolean,
): Promise<SchemaObstacle[]> {
  if (planned.length === 0) return [];
  const names = (kinds: readonly PlannedObject['kind'][]) =>
    listOf(planned.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name));
  // A relation conflicts with every object, another type only with tables and types.
  const found = await rowsOf<{ kind: string; name: string }>(
    orm,
    sql`select relname as name, case relkind when 'i' then 'index' when 'I' then 'index' when 'S' then 'sequence'
        when 'v' then 'view' when 'm' then 'materialized view' when 'c' then 'type' when 'f' then 'foreign table'
        else 'table' end as kind
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = ${schema} and relname in ${names(['table', 'relation', 'type'])}
      union all
      select typname, 'type' from pg_type join pg_namespace on pg_namespace.oid = typnamespace
      where nspname = ${schema} and typrelid = 0 and typname in ${names(['table', 'type'])}
      order by 1`,
  );
  const texts = found.map(({ kind, name }) => `${kind} "${name}"`);
  const obstacles: SchemaObstacle[] = [];
  for (let first = 0; first < texts.length; first += MAX_NAMES_PER_FINDING) {
    obstacles.push({
      kind: 'collision',
      finding: `the schema "${schema}" already has, from another application: ${texts.slice(first, first + MAX_NAMES_PER_FINDING).join(', ')}`,
      fix: holdsServer ? MOVE : ANOTHER_SCHEMA,
    });
  }
  return obstacles;
}

/** `in` needs at least one element. */
function listOf(names: readonly string[]): SQL {
  return sql`(${sql.join(
    ['', ...names].map((name) => sql`${name}`),
    sql`, `,
  )})`;
}
