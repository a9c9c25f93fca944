import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../scripts/test-database.js';
import { lacks } from '../../../scripts/test-needs.js';
import { readIdempotencyOptions } from '../src/options.js';
import {
  createIdempotencyRecordsTable,
  createPostgresIdempotencyStore,
  defineIdempotencyRecords,
} from '../src/postgres/index.js';
import { begin, complete, markUnknown, type ProcessingRecord, takeOver } from '../src/records/idempotency-record.js';
import type { RecordStore } from '../src/records/record-store.js';
import { type OpenedKind, storeKinds } from './store-kinds.js';

const hash = () => randomBytes(32).toString('base64url');
const attempt = (over: Partial<ProcessingRecord> = {}) =>
  begin({ digest: hash(), owner: randomUUID(), isTransactional: false, ...over });
const wins = (results: readonly boolean[]) => results.filter((won) => won).length;

/** The contract of record stores, tested on two nodes for every kind of store. */
describe.each(storeKinds)('records in %s', (_name, open, need) => {
  describe.skipIf(lacks(need))('keep the contract', () => {
    let kind: OpenedKind;
    let nodes: readonly RecordStore[];
    const race = (call: (store: RecordStore, index: number) => Promise<boolean>) =>
      Promise.all(Array.from({ length: 40 }, (_, index) => call(nodes[index % 2] as RecordStore, index)));

    beforeAll(async () => {
      kind = await open();
      nodes = kind.nodes.map((store) => readIdempotencyOptions({ store }).records);
    });
    afterAll(() => kind.close());

    it('IDM-3 REL-4 of 40 concurrent inserts on two nodes exactly one wins, and the record is its own', async () => {
      const scope = hash();
      const attempts = Array.from({ length: 40 }, () => attempt());
      const results = await race((store, index) => store.insert(scope, attempts[index] as ProcessingRecord));
      expect(wins(results)).toBe(1);
      const expected = { record: attempts[results.indexOf(true)], leaseLapsed: false };
      for (const node of nodes) expect(await node.read(scope)).toEqual(expected);
    });

    it('an absent record is null, and only an insert creates one', async () => {
      const [one] = nodes as [RecordStore];
      const held = attempt();
      expect(await one.read(hash())).toBeNull();
      expect(await one.renew(hash(), held)).toBe(false);
      expect(await one.replace(hash(), held, complete(held))).toBe(false);
      expect(await one.replace(hash(), held, null)).toBe(false);
      expect(await one.overtake(hash(), held, markUnknown(held))).toBe(false);
      expect(await one.overtake(hash(), held, null)).toBe(false);
    });

    it('IDM-3 of many completions exactly one wins, and a submitted record stays submitted', async () => {
      const [one, other] = nodes as [RecordStore, RecordStore];
      const scope = hash();
      const held = attempt();
      await one.insert(scope, held);
      expect(wins(await race((store) => store.replace(scope, held, complete(held))))).toBe(1);
      expect(await other.replace(scope, held, null)).toBe(false);
      expect(await other.replace(scope, held, markUnknown(held))).toBe(false);
      expect(await other.renew(scope, held)).toBe(false);
      expect(await other.insert(scope, attempt())).toBe(false);
      expect(await other.read(scope)).toEqual({ record: complete(held), leaseLapsed: false });
    });

    it('IDM-6 a released record counts as absent, and of concurrent inserts exactly one wins', async () => {
      const [one, other] = nodes as [RecordStore, RecordStore];
      const scope = hash();
      const held = attempt();
      await one.insert(scope, held);
      expect(await one.replace(scope, held, null)).toBe(true);
      expect(await other.read(scope)).toBeNull();
      expect(wins(await race((store) => store.insert(scope, attempt())))).toBe(1);
      // The former owner does not own the new record.
      expect(await one.replace(scope, held, complete(held))).toBe(false);
    });

    it('IDM-6 no run with a valid lease is overtaken, and a renewal restores a lapsed lease', async () => {
      const [one, other] = nodes as [RecordStore, RecordStore];
      const scope = hash();
      const held = attempt();
      await one.insert(scope, held);
      expect(await other.overtake(scope, held, markUnknown(held))).toBe(false);
      await kind.lapseLeases();
      expect(await other.read(scope)).toEqual({ record: held, leaseLapsed: true });
      expect(await one.renew(scope, held)).toBe(true);
      expect(await other.read(scope)).toEqual({ record: held, leaseLapsed: false });
      expect(await other.overtake(scope, held, markUnknown(held))).toBe(false);
      expect(await one.replace(scope, held, complete(held))).toBe(true);
    });

    it.each([
      ['UNKNOWN', markUnknown],
      ['taken over', (held: ProcessingRecord) => takeOver(held, randomUUID())],
      ['released', () => null],
    ])(
      'IDM-6 ID-20 of many that overtake a lapsed run exactly one leaves it %s, and fences the late owner',
      async (_state, next) => {
        const scope = hash();
        const held = attempt({ isTransactional: true });
        await nodes[0]?.insert(scope, held);
        await kind.lapseLeases();
        const results = await race((store) => store.overtake(scope, held, next(held)));
        expect(wins(results)).toBe(1);
        const after = await nodes[1]?.read(scope);
        for (const store of nodes) {
          expect(await store.replace(scope, held, complete(held))).toBe(false);
          expect(await store.replace(scope, held, markUnknown(held))).toBe(false);
          expect(await store.replace(scope, held, null)).toBe(false);
          expect(await store.renew(scope, held)).toBe(false);
        }
        expect(await nodes[1]?.read(scope)).toEqual(after);
      },
    );

    it('IDM-6 a run that took over has a lease of its own', async () => {
      const [one, other] = nodes as [RecordStore, RecordStore];
      const scope = hash();
      const held = attempt({ isTransactional: true });
      await one.insert(scope, held);
      await kind.lapseLeases();
      const successor = takeOver(held, randomUUID());
      expect(await other.overtake(scope, held, successor)).toBe(true);
      expect(await one.read(scope)).toEqual({ record: successor, leaseLapsed: false });
      expect(await other.renew(scope, successor)).toBe(true);
      expect(await other.replace(scope, successor, complete(successor))).toBe(true);
    });

    it('IDM-5 ID-24 beyond its retention a record is absent, in any state', async () => {
      for (const next of [undefined, complete, markUnknown]) {
        const scope = hash();
        const held = attempt();
        await nodes[0]?.insert(scope, held);
        if (next !== undefined) await nodes[0]?.replace(scope, held, next(held));
        await kind.expireRecords();
        expect(await nodes[1]?.read(scope)).toBeNull();
        expect(await nodes[1]?.insert(scope, attempt())).toBe(true);
      }
    });
  });
});

describe('two tables on one connection of node-postgres, which caches statements by name', () => {
  it('REL-15 IDM-7 keep their statements apart, and leave none on the connection', async () => {
    const own = await createTestDatabase();
    const database = drizzle({ connection: { connectionString: own.url, max: 1 } });
    // The pool ends before its connection does, which the drop of the database may cut.
    database.$client.on('error', () => {});
    try {
      for (const tail of ['a', 'b']) {
        const table = defineIdempotencyRecords(`idempotency_records_of_the_service_${tail}`);
        await createIdempotencyRecordsTable(database, table);
        const { records } = readIdempotencyOptions({ store: createPostgresIdempotencyStore({ database, table }) });
        for (const isTransactional of [true, false]) {
          const held = attempt({ isTransactional });
          expect(await records.insert(held.digest, held)).toBe(true);
          expect(await records.read(held.digest)).toEqual({ record: held, leaseLapsed: false });
          expect(await records.replace(held.digest, held, complete(held))).toBe(true);
        }
      }
      expect((await database.execute(sql`select name from pg_prepared_statements`)).rows).toEqual([]);
    } finally {
      await database.$client.end();
      await own.drop();
    }
  });
});
