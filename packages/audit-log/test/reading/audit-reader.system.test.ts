import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/index.js';
import {
  type AuditReader,
  createAuditReader,
  createPostgresAuditSink,
  type StoredAuditRecord,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeKey, makeRecord, makeRecords } from '../records.js';

const START = Date.UTC(2026, 0, 1);

describe.each(auditDatabases)('reading an audit log on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let reader: AuditReader;
  let records: AuditRecord[];

  beforeAll(async () => {
    opened = await open();
    reader = createAuditReader({ database: opened.nodes[0] });
    records = makeRecords(1203, (index) => ({
      occurredAt: START + index,
      actor: index % 3 === 0 ? null : `admin:${index % 3}`,
      action: index % 2 === 0 ? 'payment.create' : 'payment.read',
      clientIp: index % 5 === 0 ? '2001:db8::1' : '203.0.113.7',
      target: index % 4 === 0 ? 'payment 7' : null,
      reason: index % 7 === 0 ? 'FORBIDDEN' : null,
      outcome: index % 7 === 0 ? 'refused' : 'success',
    }));
    const sink = createPostgresAuditSink({ database: opened.nodes[0], key: makeKey(), timeoutMillis: 15_000 });
    for (const record of [records.slice(0, 600), records.slice(600)]) await sink.append(record);
  });
  afterAll(() => opened.close());

  async function collect(iterable: AsyncIterable<StoredAuditRecord>): Promise<StoredAuditRecord[]> {
    const all = [];
    for await (const record of iterable) all.push(record);
    return all;
  }

  it('AUD-5 CON-8 finds by time, actor, action, its beginning, without reads, IP, network, target, reason, outcome and request id, newest first, with the total', async () => {
    const all = await reader.search();
    expect(all.page).toEqual({ number: 1, size: 20, total: 1203, totalIsExact: true, next: 1184 });
    expect(all.records[0]).toEqual({ ...records[1202], sequence: 1203 });
    expect(all.records.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, index) => 1203 - index));

    const filters = [
      [{ from: START + 100 }, ({ occurredAt }) => occurredAt >= START + 100],
      [{ to: START + 100 }, ({ occurredAt }) => occurredAt < START + 100],
      [{ actor: 'admin:2' }, ({ actor }) => actor === 'admin:2'],
      [{ action: 'payment.read' }, ({ action }) => action === 'payment.read'],
      [{ action: ['payment.create', 'order.read'] }, ({ action }) => action === 'payment.create'],
      [{ actionPrefix: 'payment.c' }, ({ action }) => action === 'payment.create'],
      [{ actionPrefix: 'payment.%' }, () => false],
      [{ reads: false }, ({ action }) => action === 'payment.create'],
      [{ reads: true, actionPrefix: 'payment.r' }, ({ action }) => action === 'payment.read'],
      [{ ip: '2001:db8::1' }, ({ clientIp }) => clientIp === '2001:db8::1'],
      [{ network: '2001:db8::/48' }, ({ clientIp }) => clientIp === '2001:db8::1'],
      [{ network: '203.0.113.128/25' }, () => false],
      [{ network: '::ffff:203.0.113.0/120' }, ({ clientIp }) => clientIp === '203.0.113.7'],
      [{ target: 'payment 7' }, ({ target }) => target === 'payment 7'],
      [{ target: 'payment' }, () => false],
      [{ target: ['payment 7', 'payment 8'] }, ({ target }) => target === 'payment 7' || target === 'payment 8'],
      [{ reason: 'FORBIDDEN', outcome: 'refused' }, ({ outcome }) => outcome === 'refused'],
      [{ outcome: 'refused' }, ({ outcome }) => outcome === 'refused'],
      [{ requestId: records[7]?.extra.requestId as string }, ({ id }) => id === records[7]?.id],
      [
        { from: START + 9, to: START + 900, actor: 'admin:1', outcome: 'success' },
        ({ occurredAt, actor, outcome }) =>
          occurredAt >= START + 9 && occurredAt < START + 900 && actor === 'admin:1' && outcome === 'success',
      ],
    ] as const satisfies readonly (readonly [Parameters<AuditReader['search']>[0], (record: AuditRecord) => boolean])[];
    for (const [filter, matches] of filters) {
      const expected = records.filter(matches);
      const { records: found, page } = await reader.search(filter, { size: 200 });
      expect(page.total, JSON.stringify(filter)).toBe(expected.length);
      expect(found.map(({ id }) => id)).toEqual(
        expected
          .reverse()
          .slice(0, 200)
          .map(({ id }) => id),
      );
    }
  });

  it('AUD-5 pages cover every record once, and a page after the last is empty', async () => {
    const seen: number[] = [];
    for (let number = 1; number <= 7; number += 1)
      seen.push(...(await reader.search({}, { number, size: 200 })).records.map(({ sequence }) => sequence));
    expect(seen).toEqual(Array.from({ length: 1203 }, (_, index) => 1203 - index));
    expect(await reader.search({}, { number: 8, size: 200 })).toEqual({
      records: [],
      page: { number: 8, size: 200, total: 1203, totalIsExact: true, next: null },
    });
    for (const page of [{ number: 0 }, { size: 201 }, { size: 1.5 }])
      await expect(reader.search({}, page)).rejects.toThrow(TypeError);
  });

  it('AUD-11 pages by cursor cover every record once, with and without a filter', async () => {
    for (const filter of [{}, { actor: 'admin:1' }, { action: 'none' }]) {
      const seen: number[] = [];
      let after: number | null = null;
      do {
        const page = await reader.searchAfter(filter, { after, size: 200 });
        seen.push(...page.records.map(({ sequence }) => sequence));
        after = page.next;
      } while (after !== null);
      const wanted = records.flatMap(({ actor }, index) =>
        ('actor' in filter && actor !== filter.actor) || 'action' in filter ? [] : [index + 1],
      );
      expect(seen).toEqual(wanted.reverse());
    }
    for (const wrong of [{ after: 1.5 }, { after: Number.NaN }, { size: 0 }, { size: 201 }])
      await expect(reader.searchAfter({}, wrong)).rejects.toThrow(TypeError);
  });

  it('AUD-7 a search for texts that no column can hold finds nothing and does not fail', async () => {
    for (const text of ['\0', '\uD800', `'; drop table audit_records; --`, 'x'.repeat(100_000)]) {
      const { page } = await reader.search({ actor: text, action: text, ip: text, requestId: text });
      expect(page.total).toBe(0);
    }
  });

  it('AUD-5 accepts any time, including times that no column can hold', async () => {
    const { page } = await reader.search({ from: -8.64e15, to: 8.64e15 });
    expect(page.total).toBe(1203);
    expect((await reader.search({ from: Number.POSITIVE_INFINITY })).page.total).toBe(0);
    await expect(reader.search({ from: Number.NaN })).rejects.toThrow('from and to must be milliseconds since 1970');
  });

  it('AUD-5 exports in sequence what meets the filter and existed at the beginning, in any amount', async () => {
    const exported = await collect(reader.export());
    expect(exported.map(({ id }) => id)).toEqual(records.map(({ id }) => id));
    expect((await collect(reader.export({ actor: 'admin:1' }))).map(({ id }) => id)).toEqual(
      records.filter(({ actor }) => actor === 'admin:1').map(({ id }) => id),
    );

    const late = reader.export();
    await late.next();
    const sink = createPostgresAuditSink({ database: opened.nodes[1], key: makeKey('k2'), timeoutMillis: 15_000 });
    await sink.append([makeRecord()]);
    expect(await collect(late)).toHaveLength(1202);
  });

  it('AUD-11 pages by cursor do not shift while records are added, and a page by number tells where to go on', async () => {
    const { records: first, page } = await reader.search({}, { size: 5 });
    expect(page.next).toBe(first.at(-1)?.sequence);
    const sink = createPostgresAuditSink({ database: opened.nodes[1], key: makeKey('k3'), timeoutMillis: 15_000 });
    await sink.append(makeRecords(3, () => ({})));
    await sink.close();
    const { records: second } = await reader.searchAfter({}, { after: page.next, size: 5 });
    expect(second.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5].map((step) => page.next! - step));
  });

  it('AUD-11 the total is exact up to 10 000, and 10 000 beyond', async () => {
    const copy = (from: number, to: number) =>
      opened.nodes[0].execute(sql`
        insert into audit_records
          (sequence, id, occurred_at, actor, action, outcome, duration_millis, parameters, extra, previous, mac, key_id)
        select 100000 + n, gen_random_uuid(), now(), 'admin:many', 'many', 'success', 0, '{}', '{}', '', 'mac ' || n, 'k1'
        from generate_series(${sql.raw(`${from}, ${to}`)}) as n
      `);
    await copy(1, 10_000);
    const many = async (number: number) => (await reader.search({ actor: 'admin:many' }, { number, size: 200 })).page;
    expect(await many(1)).toMatchObject({ total: 10_000, totalIsExact: true });
    expect(await many(50)).toMatchObject({ totalIsExact: true, next: null });
    await copy(10_001, 10_001);
    expect(await many(1)).toMatchObject({ total: 10_000, totalIsExact: false });
    expect(await many(51)).toMatchObject({ number: 51, total: 10_000, totalIsExact: false, next: null });
    expect((await reader.search({ actor: 'admin:many' }, { number: 51, size: 200 })).records).toHaveLength(1);
  });
});
