import Fastify from 'fastify';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuditRecord, auditLog, createAuditRecord, createRecordIds } from '../../src/index.js';
import { auditRecords, createPostgresAuditSink, verifyAuditLog } from '../../src/postgres.js';
import { canonicalJson } from '../../src/records/canonical-json.js';
import { columnsOf, withDuration } from '../../src/records/index.js';
import { auditDatabases } from '../audit-databases.js';
import { makeKey, makeRecord } from '../records.js';

vi.mock('../../src/records/canonical-json.js', { spy: true });

const nextId = createRecordIds(Date.now);
const makeOwn = (): AuditRecord =>
  createAuditRecord(
    { action: 'thing.update', target: 'é\u{1F600}', parameters: { z: [1e21, { b: null, a: 'x\0' }], a: 0.1 } },
    { id: nextId(), occurredAt: 1_700_000_000_000 },
  );

beforeEach(() => void vi.mocked(canonicalJson).mockClear());

describe.each(auditDatabases)('the canonical form of a record on %s', (_name, open) => {
  it('IDM-7 is computed once for a record that is committed with its change and appended again', async () => {
    const opened = await open();
    const [database] = opened.nodes;
    const key = makeKey();
    const sink = createPostgresAuditSink({ database, key, timeoutMillis: 15_000 });
    const app = Fastify();
    await app.register(auditLog, { sink });
    const audit = { resource: 'thing', changes: 'in-handler' } as const;
    app.put('/things/:id', { config: { audit } }, async (request) => {
      const record = request.audit!.describe({ detail: { newValue: 2, oldValue: 1 } });
      await database.transaction((transaction) => sink.appendWithin(transaction, [record]));
      return {};
    });
    const answer = await app.inject({ method: 'PUT', url: '/things/7', payload: { name: 'x' } });
    expect(answer.statusCode).toBe(200);
    // Once for `parameters` and once for `extra`.
    expect(canonicalJson).toHaveBeenCalledTimes(2);
    expect(await database.select().from(auditRecords)).toMatchObject([
      { target: '7', parameters: { body: { name: 'x' }, detail: { newValue: 2, oldValue: 1 } } },
    ]);
    expect(await verifyAuditLog({ database, key })).toMatchObject({ intact: true, rows: 1, pending: 0 });
    await app.close();
    await opened.close();
  });
});

describe('the columns of a record', () => {
  it('AUD-6 are the same whether they were computed before or not', () => {
    const record = makeOwn();
    const columns = columnsOf(record);
    expect(columns).toEqual(columnsOf(structuredClone(record)));
    expect(columns).toBe(columnsOf(record));
    const later = withDuration(record, 25);
    expect(later).toEqual({ ...record, durationMillis: 25 });
    vi.mocked(canonicalJson).mockClear();
    expect(columnsOf(later)).toEqual({ ...columns, durationMillis: '25' });
    expect(canonicalJson).not.toHaveBeenCalled();
    expect(columnsOf(withDuration(makeOwn(), 25)).durationMillis).toBe('25');
  });

  it('AUD-6 cannot become outdated: a record of createAuditRecord is frozen in depth', () => {
    const { parameters, extra } = makeOwn();
    const nested = (parameters as { z: [number, object] }).z;
    for (const part of [parameters, extra, nested, nested[1]]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('AUD-6 follow the changes of a record that was made otherwise', () => {
    const record = makeRecord({ parameters: { a: 1 } });
    expect(columnsOf(record).parameters).toBe('{"a":1}');
    (record.parameters as Record<string, number>).a = 2;
    expect(columnsOf(record).parameters).toBe('{"a":2}');
  });
});
