import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import { type AuditFindingKind, auditChainHeads, auditRecords } from '../../src/postgres.js';

/** How many rows the log has. */
export const LOG_ROWS = 14;

/** One way to change the tables behind the log, and the expected findings. */
export interface Tampering {
  readonly name: string;
  apply(database: DrizzleDatabase): Promise<void>;
  /** For each sequence, a finding of one of the kinds must cover it. */
  readonly named: { readonly kinds: readonly AuditFindingKind[]; readonly sequences: readonly number[] };
}

const run = (text: string) => async (database: DrizzleDatabase) => {
  for (const statement of text.split(';\n')) await database.execute(sql.raw(statement));
};

/** For every column, values that differ from the stored one. */
const COLUMN_CHANGES: readonly (readonly [column: string, value: string])[] = [
  ['id', 'gen_random_uuid()'],
  ['occurred_at', `occurred_at + interval '1 microsecond'`],
  ['occurred_at', `occurred_at - interval '3 days'`],
  ['occurred_at', `'infinity'`],
  ['actor', `'admin:1'`],
  ['actor', 'null'],
  ['actor', `''`],
  ['action', `action || ' '`],
  ['target', `upper(target)`],
  ['outcome', `'refused'`],
  ['reason', `'WHY'`],
  ['reason', `''`],
  ['duration_millis', 'duration_millis + 0.001'],
  ['duration_millis', `'-0'`],
  ['parameters', `jsonb_set(parameters, '{amount}', '"99.00"')`],
  ['parameters', `jsonb_set(parameters, '{number}', '1.0')`],
  ['parameters', `jsonb_set(parameters, '{number}', '1.00000000000000000001')`],
  ['parameters', `parameters || '{"more": null}'`],
  ['parameters', `'null'`],
  ['client_ip', `'192.0.2.1'`],
  ['client_ip', 'null'],
  ['extra', `jsonb_set(extra, '{path}', '"/"')`],
  ['extra', `extra - 'userAgent'`],
  // Not reversed: the zeros before the first row would stay the same.
  ['previous', `case left(previous, 1) when 'A' then 'B' else 'A' end || substr(previous, 2)`],
  ['mac', `reverse(mac)`],
  ['mac', `mac || '='`],
  ['mac', `''`],
  ...['occurred_at', 'action', 'outcome', 'duration_millis', 'parameters', 'extra', 'previous', 'mac', 'key_id'].map(
    (column) => [column, 'null'] as const,
  ),
  ['key_id', `'other'`],
  ['key_id', `case key_id when 'k0' then 'k1' else 'k0' end`],
];

const aRow = fc.integer({ min: 1, max: LOG_ROWS });
const twoRows = fc
  .uniqueArray(aRow, { minLength: 2, maxLength: 2 })
  .map((rows) => rows.sort((one, other) => one - other) as [number, number]);
const named = (kinds: readonly AuditFindingKind[], ...sequences: number[]) => ({ kinds, sequences });
const table = 'audit_records';
const copiedColumns =
  'occurred_at, actor, action, target, outcome, reason, duration_millis, parameters, client_ip, extra';
const linkColumns = 'previous, mac, key_id';

/** A row that copies the columns of another one, with its own sequence and id. */
const insertCopy = (sequence: number, id: string, source: number) =>
  `insert into ${table} select ${sequence}, ${id}, ${copiedColumns}, ${linkColumns}
    from ${table} where sequence = ${source}`;
const moveHead = (sequence: number, mac: string) => `update audit_chain_heads set sequence = ${sequence}, mac = ${mac}`;
const macOf = (sequence: number) => `(select mac from ${table} where sequence = ${sequence})`;

const change = fc.tuple(aRow, fc.constantFrom(...COLUMN_CHANGES)).map(
  ([row, [column, value]]): Tampering => ({
    name: `${column} = ${value} in ${row}`,
    apply: run(`update ${table} set ${column} = ${value} where sequence = ${row}`),
    named: named(['changed'], row),
  }),
);

const swap = twoRows.map(
  ([one, other]): Tampering => ({
    name: `swap ${one} and ${other}`,
    apply: run(
      [
        `update ${table} set sequence = -1 where sequence = ${one}`,
        `update ${table} set sequence = ${one} where sequence = ${other}`,
        `update ${table} set sequence = ${other} where sequence = -1`,
      ].join(';\n'),
    ),
    named: named(['reordered'], one, other),
  }),
);

const remove = twoRows
  .filter(([, last]) => last < LOG_ROWS)
  .map(
    ([first, last]): Tampering => ({
      name: `delete ${first} to ${last}`,
      apply: run(`delete from ${table} where sequence between ${first} and ${last}`),
      named: named(['deleted'], first, last),
    }),
  );

const removeOne = aRow
  .filter((row) => row < LOG_ROWS)
  .map(
    (row): Tampering => ({
      name: `delete ${row}`,
      apply: run(`delete from ${table} where sequence = ${row}`),
      named: named(['deleted'], row),
    }),
  );

const truncate = fc.tuple(aRow, fc.boolean()).map(
  ([first, withHead]): Tampering => ({
    name: `cut off ${first} and what follows, ${withHead ? 'and set the head back' : 'but not the head'}`,
    apply: run(
      [
        `delete from ${table} where sequence >= ${first}`,
        withHead ? moveHead(first - 1, `coalesce(${macOf(first - 1)}, mac)`) : 'select 1',
      ].join(';\n'),
    ),
    named: named(['truncated'], first, LOG_ROWS),
  }),
);

const appendForged = fc.tuple(aRow, fc.boolean()).map(
  ([copied, withHead]): Tampering => ({
    name: `append a row with the mac of ${copied}${withHead ? ', and move the head' : ''}`,
    apply: run(
      [
        insertCopy(LOG_ROWS + 1, 'gen_random_uuid()', copied),
        withHead ? moveHead(LOG_ROWS + 1, macOf(LOG_ROWS + 1)) : 'select 1',
      ].join(';\n'),
    ),
    // Where the head was moved as well, a changed last row can't be told from an inserted one.
    named: named(withHead ? ['inserted', 'changed'] : ['inserted'], LOG_ROWS + 1),
  }),
);

const insertBetween = aRow.map(
  (row): Tampering => ({
    name: `insert a row at ${row} and move the others on`,
    apply: run(
      [
        `update ${table} set sequence = -sequence where sequence >= ${row}`,
        `update ${table} set sequence = 1 - sequence where sequence < 0`,
        insertCopy(row, 'gen_random_uuid()', row + 1),
        `update audit_chain_heads set sequence = sequence + 1`,
      ].join(';\n'),
    ),
    named: named(['inserted'], row),
  }),
);

const insertBefore = aRow.map(
  (row): Tampering => ({
    name: `insert a row before the first, copied from ${row}`,
    apply: run(insertCopy(0, 'gen_random_uuid()', row)),
    named: named(['inserted'], 0),
  }),
);

const replay = twoRows.chain(([one, other]) =>
  fc.constantFrom([one, other] as const, [other, one] as const).map(
    ([source, place]): Tampering => ({
      name: `put a copy of ${source} in the place of ${place}`,
      apply: run(
        [
          `alter table ${table} drop constraint if exists audit_records_id_unique`,
          `delete from ${table} where sequence = ${place}`,
          insertCopy(place, 'id', source),
        ].join(';\n'),
      ),
      named: named(['replaced'], place),
    }),
  ),
);

const FORGED_CUT = { kind: 'cut', sequence: 2, mac: 'x', count: 2, at: '', keyId: 'k1', signature: 'x' };

const editHead = fc
  .constantFrom(
    [`update audit_chain_heads set mac = reverse(mac)`, LOG_ROWS],
    [`update audit_chain_heads set sequence = sequence + 1`, LOG_ROWS + 1],
    [`update audit_chain_heads set sequence = sequence - 1`, LOG_ROWS],
    [
      `update audit_chain_heads set (sequence, mac) = (select sequence, mac from ${table} where sequence = 3)`,
      LOG_ROWS,
    ],
    [`update audit_chain_heads set sequence = 0`, LOG_ROWS],
    ['delete from audit_chain_heads', LOG_ROWS],
    [`update audit_chain_heads set cut = '${JSON.stringify(FORGED_CUT)}'`, 2],
    [`update audit_chain_heads set cut = '"nonsense"'`, 0],
  )
  .map(
    ([statement, sequence]): Tampering => ({
      name: String(statement),
      apply: run(String(statement)),
      named: named(['head'], Number(sequence)),
    }),
  );

const hidePrefix = aRow
  .filter((row) => row < LOG_ROWS)
  .map(
    (row): Tampering => ({
      name: `delete up to ${row}, with a cut that retention never made`,
      apply: async (database) => {
        await database.execute(sql`delete from ${auditRecords} where sequence <= ${row}`);
        const cut = { kind: 'cut', sequence: row, mac: 'x', count: row, at: '', keyId: 'k1', signature: 'x' } as const;
        await database.update(auditChainHeads).set({ cut });
      },
      named: named(['deleted'], 1, row),
    }),
  );

/** Any change to rows. Changed columns have more weight, since there are many. */
export const rowTampering: fc.Arbitrary<Tampering> = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 2, arbitrary: swap },
  remove,
  removeOne,
  { weight: 2, arbitrary: truncate },
  appendForged,
  insertBetween,
  insertBefore,
  { weight: 2, arbitrary: replay },
  hidePrefix,
);

export const anyTampering: fc.Arbitrary<Tampering> = fc.oneof(
  { weight: 9, arbitrary: rowTampering },
  { weight: 1, arbitrary: editHead },
);

/** Each change of a column once, in a row in the middle. */
export const everyColumnChange: readonly Tampering[] = COLUMN_CHANGES.map(([column, value]) => ({
  name: `${column} = ${value}`,
  apply: run(`update ${table} set ${column} = ${value} where sequence = 6`),
  named: named(['changed'], 6),
}));
