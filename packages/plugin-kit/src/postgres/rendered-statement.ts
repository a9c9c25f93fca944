import { is } from 'drizzle-orm/entity';
import { PgDialect } from 'drizzle-orm/pg-core';
import { SQL, StringChunk, sql } from 'drizzle-orm/sql';

/**
 * Renders a statement with placeholders once, for any database or transaction. The result takes the values: a fragment
 * of SQL, or a parameter. Otherwise, drizzle renders every column again for each call, which takes longer than sending
 * the statement.
 */
export function renderStatement<Name extends string>(
  statement: SQL,
): (values: Readonly<Record<Name, SQL | string>>) => SQL {
  const { sql: text, params } = new PgDialect().sqlToQuery(statement);
  const names = params.map((param) => (param as { readonly name: Name }).name);
  const texts = text.split(/\$\d+/).map((piece) => new StringChunk(piece));
  return (values) =>
    new SQL(
      texts.flatMap((piece, index) => {
        const name = names[index];
        if (name === undefined) return [piece];
        const value = values[name];
        return [piece, is(value, SQL) ? value : sql.param(value)];
      }),
    );
}
