import { PgDialect, pgTable, text } from 'drizzle-orm/pg-core';
import { SQL, sql } from 'drizzle-orm/sql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { renderStatement } from '../../src/postgres/index.js';

const things = pgTable('things', { id: text('id'), name: text('name') });
const textOf = (statement: SQL) => new PgDialect().sqlToQuery(statement);
const byId = (id: SQL | string) => sql`${things.id} = ${id}`;
const renderById = renderStatement<'id'>(byId(sql`${sql.placeholder('id')}`));
const update = (name: SQL | string, where: SQL) =>
  sql`update ${things} set "name" = ${name} where ${where} or ${where}`;
const renderUpdate = renderStatement<'name' | 'where'>(
  update(sql`${sql.placeholder('name')}`, sql`${sql.placeholder('where')}`),
);

describe('a rendered statement', () => {
  afterEach(() => vi.restoreAllMocks());

  it('has the text and the parameters that drizzle would send', () => {
    const expected = textOf(update('new', byId('a')));
    const isBuilt = vi.spyOn(SQL.prototype, 'buildQueryFromSourceParams');
    const rendered = textOf(renderUpdate({ name: 'new', where: renderById({ id: 'a' }) }));
    expect(isBuilt).not.toHaveBeenCalled();
    expect({ ...rendered, typings: undefined }).toEqual({ ...expected, typings: undefined });
    expect(rendered.params).toEqual(['new', 'a', 'a']);
  });

  it.each<[string, SQL, SQL]>([
    ['takes a fragment that drizzle builds', renderUpdate({ name: 'new', where: byId('a') }), update('new', byId('a'))],
    ['is a fragment of another', sql`${'x'} ${renderById({ id: 'a' })} ${'y'}`, sql`${'x'} ${byId('a')} ${'y'}`],
    ['can be appended to', renderById({ id: 'a' }).append(sql` and ${'b'}`), byId('a').append(sql` and ${'b'}`)],
    ['can have its parameters in the text', renderById({ id: "a'" }).inlineParams(), byId("a'").inlineParams()],
    ['can be empty', renderStatement(sql``)({}), sql``],
  ])('%s', (_case, rendered, built) => {
    const { sql, params } = textOf(built);
    expect(textOf(rendered)).toMatchObject({ sql, params });
  });
});
