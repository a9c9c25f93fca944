import { expect, it } from 'vitest';
import { type AuditRecord, AuditSinkFullError, createMemorySink } from '../../src/index.js';

const record = (id: string): AuditRecord => ({
  id,
  occurredAt: 1_700_000_000_000,
  actor: 'admin:1',
  action: 'payment.create',
  target: null,
  outcome: 'success',
  reason: null,
  durationMillis: 3,
  parameters: { body: { amount: '12.50' } },
  clientIp: '203.0.113.7',
  extra: { requestId: 'r', terminal: 'web', method: 'POST', path: '/payments', userAgent: null, exception: null },
});

it('AUD-4 keeps one record for an id, in the order of appending', async () => {
  const sink = createMemorySink();
  await sink.append([record('a'), record('b')]);
  await sink.append([record('a'), record('c'), record('c')]);
  expect(sink.records().map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

it('AUD-4 a full sink refuses the whole call and drops nothing', async () => {
  const sink = createMemorySink({ maxRecords: 2 });
  await sink.append([record('a')]);
  await expect(sink.append([record('b'), record('c')])).rejects.toThrow(AuditSinkFullError);
  expect(sink.records()).toHaveLength(1);
  await sink.append([record('b')]);
  await sink.append([record('a')]);
  expect(sink.records()).toHaveLength(2);
});

it('stores a copy: later changes of the object have no effect', async () => {
  const sink = createMemorySink();
  const given = { ...record('a'), parameters: { body: { amount: '1' } } };
  await sink.append([given]);
  given.parameters.body.amount = '2';
  expect(sink.records()[0]?.parameters).toEqual({ body: { amount: '1' } });
});

it('refuses a bad bound', () => {
  for (const maxRecords of [0, -1, 1.5, Number.NaN, 1_000_001])
    expect(() => createMemorySink({ maxRecords })).toThrow('maxRecords must be a whole number');
});
