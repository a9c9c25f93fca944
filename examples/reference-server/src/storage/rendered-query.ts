import { PgDatabase, PgDialect, type PgSession } from 'drizzle-orm/pg-core';
import type { Database, Reading } from './database.js';

/** A query of drizzle's builder, after `.prepare(UNNAMED)`. */
interface PreparedQuery {
  execute(values: Record<string, unknown>): Promise<unknown>;
}

/** The values with which drizzle asks the session of a database to prepare a query: text, parameters, columns. */
type Preparation = Parameters<PgSession['prepareQuery']>;

/** The property that a builder sets on the query after the session has prepared it. */
interface Addition {
  joinsNotNullableMap?: unknown;
}

/** Runs a query on a handle of the database, or in a transaction. */
type RenderedQuery<Handle, Query extends PreparedQuery> = (
  handle: Handle,
  values: Record<string, unknown>,
) => ReturnType<Query['execute']>;

/**
 * Builds a query once, for every handle and transaction. A query that drizzle has prepared belongs to one of them, so
 * it would have to be built again for each transaction, which takes longer than sending it.
 *
 * @param build returns the query after `.prepare(UNNAMED)`, with `sql.placeholder(name)` for each value
 */
export function renderQuery<Handle extends Reading, Query extends PreparedQuery>(
  build: (handle: Handle) => Query,
): RenderedQuery<Handle, Query> {
  let preparation: Preparation | null = null;
  const addition: Addition & { setToken?: unknown } = { setToken: () => addition };
  const recorder = {
    prepareQuery(...given: Preparation) {
      preparation = given;
      return addition;
    },
  };
  build(new PgDatabase(new PgDialect(), recorder as unknown as PgSession, undefined) as unknown as Handle);
  const given = preparation as Preparation | null;
  if (given === null) throw new TypeError('renderQuery takes a query after .prepare(UNNAMED)');
  const { joinsNotNullableMap } = addition;
  return (handle, values) => {
    const query = (handle as unknown as Database['orm'])._.session.prepareQuery(...given);
    Object.assign(query, { joinsNotNullableMap } satisfies Addition);
    return query.execute(values) as ReturnType<Query['execute']>;
  };
}

/** The condition if the query has a value for it. */
export type Where<Name> = <Condition>(name: Name, condition: Condition) => Condition | undefined;

/**
 * The same for a query whose conditions depend on the values that it gets. It is built once for each set of names, so
 * these must be few.
 */
export function renderQueries<Name extends string, Handle extends Reading, Query extends PreparedQuery>(
  build: (handle: Handle, where: Where<Name>) => Query,
): RenderedQuery<Handle, Query> {
  const known = new Map<string, RenderedQuery<Handle, Query>>();
  return (handle, values) => {
    const names = Object.keys(values).filter((name) => values[name] !== undefined);
    const shape = names.join();
    let query = known.get(shape);
    if (query === undefined) {
      query = renderQuery((recording: Handle) =>
        build(recording, (name, condition) => (names.includes(name) ? condition : undefined)),
      );
      known.set(shape, query);
    }
    return query(handle, values);
  };
}
