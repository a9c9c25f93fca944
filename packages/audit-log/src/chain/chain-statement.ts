import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { type SQL, sql } from 'drizzle-orm/sql';
import type { ChainedColumns, ChainHead } from './chain.js';
import { arrayLiteral, arrayPlaceholder } from './chain-rows.js';
import type { AuditTables } from './postgres-table.js';

/** The columns of a row: property, name and type in the table. */
const COLUMNS = [
  ['sequence', 'sequence', 'bigint'],
  ['id', 'id', 'uuid'],
  ['occurredAt', 'occurred_at', 'timestamptz'],
  ['actor', 'actor', 'text'],
  ['action', 'action', 'text'],
  ['target', 'target', 'text'],
  ['outcome', 'outcome', 'text'],
  ['reason', 'reason', 'text'],
  ['durationMillis', 'duration_millis', 'double precision'],
  ['parameters', 'parameters', 'jsonb'],
  ['clientIp', 'client_ip', 'text'],
  ['extra', 'extra', 'jsonb'],
  ['previous', 'previous', 'text'],
  ['mac', 'mac', 'text'],
  ['keyId', 'key_id', 'text'],
] as const satisfies readonly (readonly [keyof ChainedColumns, string, string])[];

type Value = (typeof COLUMNS)[number][0] | 'stored' | 'storedMac' | 'end' | 'endMac' | 'waited';

export interface ChainStatementValues {
  /** The head that the statement expects. If the stored head is another, the statement changes nothing. */
  readonly stored: ChainHead;
  /** The head after the rows. */
  readonly end: ChainHead;
  readonly rows: readonly ChainedColumns[];
  /** The ids of those rows that may be in the pending table. */
  readonly waited: readonly string[];
}

/**
 * The statement that moves the head of a chain and inserts its next rows. It returns the head that it found, whether
 * that was the expected one (`done`), and if not, whether the log still contains the expected one (`kept`). Columns are
 * sent as arrays, which PostgreSQL reads five times as fast as JSON.
 */
export function prepareChainStatement(
  { table, heads, pending }: Required<Pick<AuditTables, 'table' | 'heads' | 'pending'>>,
  chain: string,
): (values: ChainStatementValues) => SQL {
  const { placeholder } = sql;
  const columns = sql.raw(COLUMNS.map(([, column]) => `"${column}"`).join(', '));
  const arrays = sql.join(
    COLUMNS.map(([property, , type]) => arrayPlaceholder(property, type)),
    sql.raw(', '),
  );
  const name = sql.raw(`'${chain.replaceAll("'", "''")}'`);
  const statementWith = (settled: SQL) => sql`
    with held as materialized (
      select "sequence", "mac", "cut" from ${heads} where "chain" = ${name} for update
    ), expected as materialized (
      select 1 from held where "sequence" = ${placeholder('stored')}::bigint and "mac" = ${placeholder('storedMac')}
    ), moved as (
      update ${heads} set "sequence" = ${placeholder('end')}::bigint, "mac" = ${placeholder('endMac')}
      where "chain" = ${name} and exists (select from expected)
    ), written as (
      insert into ${table} (${columns})
      select * from unnest(${arrays}) as given where exists (select from expected)
    )${settled}
    select "sequence"::text, "mac", exists (select from expected) as "done", case
      when exists (select from expected) then true
      when case jsonb_typeof("cut" -> 'sequence') when 'number' then ("cut" ->> 'sequence')::numeric else 0 end
        >= ${placeholder('stored')}::bigint then true
      else exists (
        select from ${table} as kept
        where kept."sequence" = ${placeholder('stored')}::bigint and kept."mac" = ${placeholder('storedMac')}
      )
    end as "kept" from held
  `;
  const insert = renderStatement<Value>(statementWith(sql``));
  const insertAndSettle = renderStatement<Value>(
    statementWith(sql`, settled as (
      delete from ${pending}
      where exists (select from expected) and "id" = any(${arrayPlaceholder('waited', 'uuid')})
    )`),
  );

  return ({ stored, end, rows, waited }) => {
    const values = {
      stored: String(stored.sequence),
      storedMac: stored.mac,
      end: String(end.sequence),
      endMac: end.mac,
      waited: arrayLiteral(waited),
    } as Record<Value, string>;
    for (const [property] of COLUMNS) values[property] = arrayLiteral(rows.map((row) => row[property]));
    const render = waited.length > 0 ? insertAndSettle : insert;
    return render(values);
  };
}
