/** Runs one statement, and resolves to its rows. Over PostgreSQL or the embedded database. */
export type Ask = <Row>(statement: string) => Promise<readonly Row[]>;

/** The tables whose every change needs an audit record (AUD-8). */
export const AUDITED_TABLES = [
  'administrators',
  'administrator_roles',
  'roles',
  'app_users',
  'second_factors',
  'stored_files',
  'payments',
  'system_parameters',
] as const;

/** Sessions, tickets and sent messages, where they are kept in the database. */
const VOLATILE = "~ '(?:^|:)(?:session|ticket):|development-outbox$'";

/** One row that a transaction changed, written by a trigger in the same transaction. */
export interface ShadowRow {
  readonly seq: number;
  readonly txid: string;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number;
  readonly tab: string;
  /** The row before and after; null: there was none, or there is none. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/**
 * Installs the ground truth: triggers that note each changed row of the audited tables, and the ids of the audit
 * records that are committed in the same transaction. It takes nothing from the audit log. Call it after migrations.
 *
 * @param tablespace of the notes, where the audited tables are on a disk that fills up
 */
export async function installShadow(ask: Ask, tablespace = 'pg_default'): Promise<void> {
  const statements = [
    'create schema shadow',
    `create table shadow.changes (
       seq bigserial primary key using index tablespace ${tablespace}, txid text not null, at timestamptz not null,
       tab text not null, before jsonb, after jsonb
     ) tablespace ${tablespace}`,
    `create function shadow.note() returns trigger language plpgsql as $$ begin
       insert into shadow.changes (txid, at, tab, before, after) values (
         pg_current_xact_id()::text, clock_timestamp(), tg_table_name,
         case when tg_op <> 'INSERT' then to_jsonb(old) end, case when tg_op <> 'DELETE' then to_jsonb(new) end);
       return null; end $$`,
    `create function shadow.note_id() returns trigger language plpgsql as $$ begin
       insert into shadow.changes (txid, at, tab, after) values (
         pg_current_xact_id()::text, clock_timestamp(), tg_table_name, jsonb_build_object('id', new.id));
       return null; end $$`,
    ...AUDITED_TABLES.map(
      (table) => `create trigger shadow after insert or update or delete on ${table}
        for each row execute function shadow.note()`,
    ),
    'create trigger shadow after insert on audit_pending for each row execute function shadow.note_id()',
    `create trigger shadow_set after insert or update on ttl_entries for each row when (new.key ${VOLATILE})
       execute function shadow.note()`,
    `create trigger shadow_delete after delete on ttl_entries for each row when (old.key ${VOLATILE})
       execute function shadow.note()`,
  ];
  for (const statement of statements) await ask(statement);
}

/** The last noted row, where a cell of the run begins. */
export async function lastShadow(ask: Ask): Promise<number> {
  const [found] = await ask<{ seq: string | null }>('select max(seq)::text as seq from shadow.changes');
  return Number(found?.seq ?? 0);
}

/** The noted rows after one, in the order of the changes. */
export async function readShadow(ask: Ask, after: number): Promise<ShadowRow[]> {
  type Row = Omit<ShadowRow, 'seq' | 'at'> & { seq: string; at: string };
  const rows = await ask<Row>(`
    select seq::text as seq, txid, extract(epoch from at)::text as at, tab, before, after
    from shadow.changes where seq > ${after} order by shadow.changes.seq`);
  return rows.map(({ seq, at, ...rest }) => ({ ...rest, seq: Number(seq), at: Number(at) * 1000 }));
}
