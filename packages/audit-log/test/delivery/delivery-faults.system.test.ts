import { asc, eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import {
  type AuditDelivery,
  type AuditDeliveryOptions,
  createAuditDelivery,
  TargetRefusedError,
  TargetUnavailableError,
} from '../../src/delivery.js';
import {
  auditChainHeads,
  auditDeliveries,
  auditRecords,
  createPostgresAuditSink,
  type PostgresAuditSink,
} from '../../src/postgres.js';
import { auditDatabases, type OpenedDatabase } from '../audit-databases.js';
import { makeKey, makeRecord, makeRecords } from '../records.js';
import { broken, createRecordingTarget, type RecordingTarget } from './recording-target.js';

const key = makeKey();

describe.each(auditDatabases)('delivery of an audit log on %s', (_name, open) => {
  let opened: OpenedDatabase;
  let database: DrizzleDatabase;
  let sink: PostgresAuditSink;
  let target: RecordingTarget;
  let deliveries: AuditDelivery[];
  let lines: string[];
  const note = (level: string) => (details: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify({ ...details, err: undefined })}`);
  const log = { info: note('info'), warn: note('warn'), error: note('error') };

  beforeAll(async () => {
    opened = await open();
    database = opened.nodes[0];
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    for (const table of [auditRecords, auditChainHeads, auditDeliveries]) await database.delete(table);
    sink = createPostgresAuditSink({ database, key, timeoutMillis: 15_000 });
    target = createRecordingTarget();
    deliveries = [];
    lines = [];
  });
  afterEach(async () => {
    await Promise.all(deliveries.map((delivery) => delivery.close()));
    await sink.close();
  });

  function start(options: Partial<AuditDeliveryOptions> = {}): AuditDelivery {
    const delivery = createAuditDelivery({ database, destination: 'siem', target, pollMillis: 20, log, ...options });
    deliveries.push(delivery);
    delivery.start();
    return delivery;
  }
  const arrivedSequences = () => target.arrived.map(({ sequence }) => sequence);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 15 });
  const cursor = async () => (await database.select().from(auditDeliveries))[0];

  it('AUD-13 every record arrives once, in the order of the chain, in bounded batches, as it is stored', async () => {
    await sink.append(makeRecords(250));
    const delivery = start({ maxBatch: 100 });
    await until(() => expect(target.arrived).toHaveLength(250));
    const added = makeRecords(30);
    await sink.append(added);
    await until(() => expect(target.arrived).toHaveLength(280));
    expect(arrivedSequences()).toEqual(upTo(280));
    expect(Math.max(...target.batches)).toBe(100);
    const stored = await database.select().from(auditRecords).orderBy(asc(auditRecords.sequence));
    const columns = ({ sequence, id, mac, previous, keyId }: (typeof stored)[number]) => ({
      ...{ sequence, id, mac, previous, keyId },
    });
    expect(target.arrived.map((record) => columns(record as never))).toEqual(stored.map(columns));
    expect(JSON.parse(target.arrived[0]?.parameters ?? '')).toEqual(stored[0]?.parameters);
    await until(async () =>
      expect(await delivery.health()).toMatchObject({
        status: 'delivering',
        sequence: 280,
        lagRecords: 0,
        lagSeconds: 0,
      }),
    );
    expect(lines).toEqual([]);
  });

  it('AUD-13 goes on where it stopped, and a clean stop repeats nothing', async () => {
    await sink.append(makeRecords(20));
    const first = start({ maxBatch: 5 });
    target.fault = () => new Promise((resolve) => setTimeout(resolve, 5, {}));
    await until(() => expect(target.arrived.length).toBeGreaterThan(4));
    await first.close();
    expect(first.status).toBe('idle');
    const before = target.arrived.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(target.arrived).toHaveLength(before);
    start({ maxBatch: 5 });
    await until(() => expect(target.arrived).toHaveLength(20));
    expect(arrivedSequences()).toEqual(upTo(20));
  });

  it('AUD-13 a receiver that fails, takes a part, loses its answer and comes back lacks nothing, and the order stays', async () => {
    let tries = 0;
    target.fault = ({ length }) => {
      tries += 1;
      return tries % 3 === 0 ? {} : broken([0, 3, length][tries % 3] ?? 0);
    };
    const delivery = start({ maxBatch: 14, maxRetrySeconds: 1 });
    for (let i = 0; i < 3; i += 1) await sink.append(makeRecords(9));
    await until(async () => expect((await delivery.health()).lagRecords).toBe(0));
    expect(target.kept().map(({ sequence }) => sequence)).toEqual(upTo(27));
    expect(target.arrived.length).toBeGreaterThan(27);
    expect(lines.filter((line) => line.startsWith('warn audit records could not be delivered')).length).toBeGreaterThan(
      0,
    );
    expect(lines.at(-1)).toMatch(/^info audit records are delivered again/);
    expect((await delivery.health()).lastError).toMatchObject({ message: 'broke' });
  });

  it('AUD-13 says how far the receiver is behind while it fails', async () => {
    target.fault = () => broken(0);
    await sink.append(makeRecords(12, () => ({ occurredAt: Date.now() - 60_000 })));
    const delivery = start();
    await until(() => expect(delivery.status).toBe('failing'));
    const health = await delivery.health();
    expect(health).toMatchObject({
      destination: 'siem',
      sequence: 0,
      lagRecords: 12,
      lastDeliveredAt: null,
      missing: 0,
    });
    expect((await Promise.all([1, 2, 3].map(() => delivery.health()))).map((each) => each.lagRecords)).toEqual([
      12, 12, 12,
    ]);
    expect(health.lagSeconds).toBeGreaterThan(55);
    expect(health.lagSeconds).toBeLessThan(120);
    target.fault = () => ({});
    await until(async () => expect((await delivery.health()).lagRecords).toBe(0));
    expect(Math.abs(((await delivery.health()).lastDeliveredAt ?? 0) - Date.now())).toBeLessThan(30_000);
  });

  it('AUD-13 one node sends, and another takes over at once when it is closed', async () => {
    const second = createRecordingTarget(target.arrived);
    const one = start();
    await until(() => expect(one.status).toBe('delivering'));
    const two = start({ database: opened.nodes[1], target: second });
    await until(() => expect(two.status).toBe('standby'));
    await sink.append(makeRecords(10));
    await until(() => expect(target.arrived).toHaveLength(10));
    expect(second.batches).toEqual([]);
    await one.close();
    await sink.append(makeRecords(10));
    await until(() => expect(target.arrived).toHaveLength(20));
    expect(second.batches.length).toBeGreaterThan(0);
    expect(arrivedSequences()).toEqual(upTo(20));
  });

  it('AUD-13 a node whose lease was taken stops sending, and moves no cursor', async () => {
    await sink.append(makeRecords(10));
    let given: AbortSignal | undefined;
    const other = createRecordingTarget(target.arrived);
    target.fault = (_records, signal) => {
      given = signal;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
    };
    start({ leaseSeconds: 2, maxRetrySeconds: 1 });
    await until(() => expect(given).toBeDefined());
    // As after a pause of the process that is longer than its lease.
    await database.update(auditDeliveries).set({ owner: null, leaseUntil: null });
    const two = start({ database: opened.nodes[1], target: other });
    await until(() => expect(given?.aborted).toBe(true));
    await until(async () => expect((await two.health()).lagRecords).toBe(0));
    expect(target.kept().map(({ sequence }) => sequence)).toEqual(upTo(10));
  });

  it('AUD-13 another node takes over after the lease of one that crashed', async () => {
    await sink.append(makeRecords(10));
    await database.insert(auditDeliveries).values({
      ...{ chain: 'audit_records', destination: 'siem', sequence: 4, owner: '019aa7c5-6b1e-7c3a-9c50-6f1d3b2a7e44' },
      leaseUntil: sql`now() + interval '5 seconds'` as never,
    });
    const delivery = start();
    await until(() => expect(delivery.status).toBe('standby'));
    expect(target.arrived).toEqual([]);
    await until(() => expect(arrivedSequences()).toEqual([5, 6, 7, 8, 9, 10]));
  });

  it('AUD-13 a refused record stops the delivery aloud, after those before it, and is never skipped', async () => {
    const poison = makeRecord({ action: 'poison' });
    await sink.append([...makeRecords(23), poison, ...makeRecords(20)]);
    let isFixed = false;
    target.fault = (records) =>
      !isFixed && records.some(({ action }) => action === 'poison')
        ? { arriving: 0, error: new TargetRefusedError('answered 400', { isDivisible: true }) }
        : {};
    const delivery = start({ maxRetrySeconds: 1 });
    await until(() => expect(delivery.status).toBe('stopped'));
    expect(arrivedSequences()).toEqual(upTo(23));
    expect(lines.join()).toMatch(/error the delivery of audit records is stopped: nothing is skipped/);
    expect(await delivery.health()).toMatchObject({ lagRecords: 21, lastError: { message: 'answered 400' } });
    isFixed = true;
    await until(() => expect(arrivedSequences()).toEqual(upTo(44)));
    await until(() => expect(delivery.status).toBe('delivering'));
  });

  it('AUD-13 a refusal of everything is not divided', async () => {
    await sink.append(makeRecords(20));
    target.fault = () => ({ arriving: 0, error: new TargetRefusedError('answered 401') });
    const delivery = start();
    await until(() => expect(delivery.status).toBe('stopped'));
    expect(target.batches).toEqual([20]);
  });

  it('AUD-13 waits as long as the receiver asks', async () => {
    await sink.append(makeRecords(2));
    const tried: number[] = [];
    target.fault = () => {
      tried.push(performance.now());
      return tried.length > 1 ? {} : { arriving: 0, error: new TargetUnavailableError('', { retryAfterMillis: 900 }) };
    };
    start();
    await until(() => expect(target.arrived).toHaveLength(2));
    expect(tried[1]! - tried[0]!).toBeGreaterThan(880);
  });

  it('AUD-13 marks security events: locks, the names that are added, and every action below security', async () => {
    const actions = ['payment.create', 'auth.lock', 'sms-code.flood', 'security.clock-step'];
    await sink.append(actions.map((action) => makeRecord({ action })));
    start({ securityActions: ['auth.lock', 'sms-code.flood'] });
    await until(() => expect(target.arrived).toHaveLength(4));
    expect(target.arrived.map(({ isSecurityEvent }) => isSecurityEvent)).toEqual([false, true, true, true]);
  });

  it('AUD-13 a log that was restored behind the cursor stops the delivery, until somebody sets the cursor', async () => {
    await sink.append(makeRecords(10));
    const first = start();
    await until(async () => expect((await cursor())?.sequence).toBe(10));
    await first.close();
    await sink.close();
    // As a restored database that kept its cursors: the sequences 6 to 12 are used again.
    await database.delete(auditRecords).where(sql`${auditRecords.sequence} > 5`);
    const [row] = await database.select().from(auditRecords).where(eq(auditRecords.sequence, 5));
    await database.update(auditChainHeads).set({ sequence: 5, mac: row!.mac });
    const cut = start({ maxRetrySeconds: 1 });
    await until(() => expect(cut.status).toBe('stopped'));
    expect((await cut.health()).lastError?.message).toBe('The log ends with record 5, but 10 was delivered');
    sink = createPostgresAuditSink({ database, key });
    await sink.append(makeRecords(7));
    await until(async () =>
      expect((await cut.health()).lastError?.message).toBe('Record 10 is not the one that was delivered'),
    );
    expect(target.arrived).toHaveLength(10);
    await database.update(auditDeliveries).set({ sequence: 5, mac: null });
    await until(() => expect(arrivedSequences()).toEqual([...upTo(10), 6, 7, 8, 9, 10, 11, 12]));
  });

  it('AUD-13 says which records are missing from the log, and delivers the others', async () => {
    await sink.append(makeRecords(9));
    await database.delete(auditRecords).where(sql`${auditRecords.sequence} in (1, 2, 5, 6)`);
    const delivery = start();
    await until(() => expect(arrivedSequences()).toEqual([3, 4, 7, 8, 9]));
    expect((await delivery.health()).missing).toBe(2);
    expect(lines).toEqual([
      'info the delivery begins with a later audit record {"destination":"siem","first":3}',
      'error audit records are missing from the log and can not be delivered {"destination":"siem","from":5,"to":6}',
    ]);
  });

  it('AUD-13 each destination has its own cursor', async () => {
    const slow = createRecordingTarget();
    slow.fault = () => broken(0);
    await sink.append(makeRecords(5));
    start();
    const other = start({ destination: 'archive', target: slow });
    await until(() => expect(target.arrived).toHaveLength(5));
    await until(() => expect(other.status).toBe('failing'));
    slow.fault = () => ({});
    await until(() => expect(slow.arrived).toHaveLength(5));
    expect(target.arrived).toHaveLength(5);
  });

  it('AUD-13 no record becomes visible after a later one, whatever number of nodes writes', async () => {
    const sinks = opened.nodes.map((node) => createPostgresAuditSink({ database: node, key, timeoutMillis: 15_000 }));
    let isWriting = true;
    const work = Array.from({ length: 8 }, async (_, index) => {
      for (let i = 0; i < 25; i += 1) await sinks[index % 2]?.append(makeRecords(1 + (i % 3)));
    });
    const reading = (async () => {
      const seen: (readonly [number, number, number])[] = [];
      while (isWriting) {
        const [found] = await database
          .select({
            total: sql<number>`count(*)::int`,
            first: sql<number>`coalesce(min(${auditRecords.sequence}), 1)::int`,
            last: sql<number>`coalesce(max(${auditRecords.sequence}), 0)::int`,
          })
          .from(auditRecords);
        if (found !== undefined) seen.push([found.total, found.first, found.last]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return seen;
    })();
    start();
    await Promise.all(work);
    isWriting = false;
    const seen = await reading;
    expect(new Set(seen.map(([total]) => total)).size).toBeGreaterThan(10);
    for (const [total, first, last] of seen) expect([first, last]).toEqual([1, total]);
    await Promise.all(sinks.map((each) => each.close()));
    const total = 8 * (9 + 2 * 8 + 3 * 8);
    await until(() => expect(target.arrived).toHaveLength(total));
    expect(arrivedSequences()).toEqual(upTo(total));
  });
});
