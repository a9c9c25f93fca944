import { PgDialect } from 'drizzle-orm/pg-core';
import { type BuildQueryConfig, type QueryWithTypings, SQL, StringChunk, sql } from 'drizzle-orm/sql';

/** The value of a placeholder: a fragment of SQL, or a parameter. */
type Value = SQL | string;

/**
 * Renders a statement with placeholders once, for any database or transaction. The result takes the values: a fragment
 * of SQL, or a parameter. Otherwise, drizzle renders every column again for each call, which takes longer than sending
 * the statement.
 */
export function renderStatement<Name extends string>(statement: SQL): (values: Readonly<Record<Name, Value>>) => SQL {
  const { sql: text, params } = new PgDialect().sqlToQuery(statement);
  const names = params.map((param) => (param as { readonly name: Name }).name);
  const texts = text.split(/\$\d+/);
  const chunks = texts.map((piece) => new StringChunk(piece));
  return (values) =>
    new RenderedStatement(
      texts,
      chunks,
      names.map((name) => values[name]),
    );
}

/** A statement whose texts are known. As a fragment of another statement, it consists of its chunks. */
class RenderedStatement extends SQL {
  readonly #texts: readonly string[];
  readonly #values: readonly Value[];

  constructor(texts: readonly string[], chunks: readonly StringChunk[], values: readonly Value[]) {
    // The constructor of drizzle would look for tables among the chunks.
    super([]);
    this.#texts = texts;
    this.#values = values;
    for (const [index, chunk] of chunks.entries()) {
      this.queryChunks.push(chunk);
      const value = values[index];
      if (value !== undefined) this.queryChunks.push(typeof value === 'string' ? sql.param(value) : value);
    }
  }

  /** The same as the method of drizzle, without its walk through the chunks. */
  override toQuery(config: BuildQueryConfig): QueryWithTypings {
    const isChanged = this.queryChunks.length !== this.#texts.length + this.#values.length;
    const isInlined = config.inlineParams === true || Reflect.get(this, 'shouldInlineParams') === true;
    if (isChanged || isInlined) return super.toQuery(config);
    const paramStartIndex = config.paramStartIndex ?? { value: 0 };
    const params: unknown[] = [];
    let text = '';
    for (const [index, piece] of this.#texts.entries()) {
      text += piece;
      const value = this.#values[index];
      if (value === undefined) break;
      if (typeof value === 'string') {
        text += config.escapeParam(paramStartIndex.value++, value);
        params.push(value);
      } else {
        const rendered = value.toQuery({ ...config, paramStartIndex });
        text += rendered.sql;
        params.push(...rendered.params);
      }
    }
    return { sql: text, params };
  }
}
