import type { LogRecord } from './record-checker.js';
import type { Ask } from './shadow.js';

interface Row {
  readonly id: string;
  readonly actor: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly request_id: string | null;
  readonly named: readonly (string | null)[];
  readonly session_start: string | null;
}

/** The last record of the chain, where a cell of the run begins. */
export async function lastRecord(ask: Ask): Promise<number> {
  const [found] = await ask<{ sequence: string | null }>('select max(sequence)::text as sequence from audit_records');
  return Number(found?.sequence ?? 0);
}

/** The records after one, from the tables: what clients find is built on them. */
export async function readRecords(ask: Ask, after: number): Promise<LogRecord[]> {
  const rows = await ask<Row>(`
    select id, actor, action, target, outcome, extra ->> 'requestId' as request_id,
      jsonb_build_array(
        parameters #>> '{body,username}', parameters #>> '{body,mobile}', parameters #>> '{detail,owner}'
      ) as named,
      parameters #>> '{detail,idStart}' as session_start
    from audit_records where sequence > ${after} order by sequence`);
  return rows.map(({ request_id, named, session_start, ...record }) => ({
    ...record,
    requestId: request_id,
    named: named.filter((name) => name !== null),
    sessionStart: session_start,
  }));
}
