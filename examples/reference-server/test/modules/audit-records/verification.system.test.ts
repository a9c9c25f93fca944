import { auditRecords, type Checkpoint } from '@sallyport/audit-log/postgres';
import { createMemoryStore } from '@sallyport/ttl-store';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import {
  createVerifications,
  type LogVerification,
  type Verification,
  type VerificationsOptions,
} from '../../../src/modules/audit-records/verification.js';
import { type Actor, actor, roomy, root } from '../../support/accounts.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

const INTACT: LogVerification = {
  ...{ intact: true, findings: [], rows: 400, lastSequence: 400, checkpoints: 2, coveredTo: 400 },
  ...{ accepted: [], pending: 0, isBroken: false },
};

/** Nodes with one store and one clock. Each verification ends when the test says so. */
function openNodes() {
  let time = 1_800_000_000_000;
  const store = createMemoryStore({ now: () => time });
  const log = { error: vi.fn(), warn: vi.fn() };
  const finished: Verification[] = [];
  let end: (outcome: LogVerification | Error) => void = () => {};
  let progress: Parameters<VerificationsOptions['verify']>[0] = async () => {};
  let runs = 0;

  const node = () =>
    createVerifications({
      ...{ store, log, now: () => time, onFinished: (one) => void finished.push(one) },
      verify: (onProgress) => {
        runs += 1;
        return new Promise((resolve, reject) => {
          end = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
          progress = (given) => onProgress(given).catch(reject);
        });
      },
    });

  return {
    ...{ node, store, log, finished },
    end: (outcome: LogVerification | Error) => end(outcome),
    advance: (millis: number) => {
      time += millis;
    },
    /** Says that half of the log was read, a second after the last time. */
    async half(faults = 0) {
      time += 1000;
      await progress({ rows: 200, sequence: 200, lastSequence: 400, faults });
    },
    runs: () => runs,
  };
}

describe('verifications of the audit log on several nodes', () => {
  it('API-4 runs one at a time on all nodes together, and every node shows progress and result', async () => {
    const nodes = openNodes();
    const [one, other] = [nodes.node(), nodes.node()];
    const started = await Promise.all([one.start('admin:a'), other.start('admin:b'), one.start('admin:c')]);
    const { id } = started[0];
    expect(started.map((each) => each.id)).toEqual([id, id, id]);
    expect(nodes.runs()).toBe(1);
    await nodes.half(3);
    expect(await other.find(id)).toMatchObject({
      state: 'running',
      rows: 200,
      percent: 50,
      findingCount: 3,
      intact: null,
    });
    nodes.end(INTACT);
    await vi.waitFor(async () => expect((await other.find(id))?.state).toBe('finished'));
    expect(await other.find(id)).toMatchObject({
      intact: true,
      percent: 100,
      rows: 400,
      coveredTo: 400,
      checkpoints: 2,
    });
    await vi.waitFor(async () => expect((await other.start('admin:b')).id).not.toBe(id));
  });

  it('API-4 a result has its first findings and their number, and is forgotten after a week', async () => {
    const nodes = openNodes();
    const one = nodes.node();
    const { id } = await one.start('admin:a');
    const findings = Array.from({ length: 250 }, (_, index) => {
      return { kind: 'changed', sequence: index, lastSequence: index, id: null, detail: 'x' } as const;
    });
    nodes.end({ ...INTACT, intact: false, findings });
    await vi.waitFor(async () => expect((await one.find(id))?.state).toBe('finished'));
    const found = await one.find(id);
    expect(found).toMatchObject({ intact: false, findingCount: 250, findings: findings.slice(0, 100) });
    expect(nodes.finished).toEqual([found]);
    nodes.advance(7 * 86_400_000);
    expect(await one.find(id)).toBeNull();
  });

  it('API-4 a node that crashed leaves an interrupted verification, and another one can be started', async () => {
    const nodes = openNodes();
    const { id } = await nodes.node().start('admin:a');
    nodes.advance(30_000);
    const other = nodes.node();
    expect((await other.find(id))?.state).toBe('interrupted');
    expect((await other.start('admin:b')).id).not.toBe(id);
  });

  it('API-4 a node that stood still for longer than its lease stops, and does not touch the lease of the next one', async () => {
    const nodes = openNodes();
    const one = nodes.node();
    const { id } = await one.start('admin:a');
    const resume = nodes.half;
    nodes.advance(30_000);
    await resume();
    await vi.waitFor(async () => expect((await one.find(id))?.endedAt).not.toBeNull());
    expect((await one.find(id))?.state).toBe('interrupted');
    const next = await one.start('admin:b');
    expect((await nodes.node().start('admin:c')).id).toBe(next.id);
  });

  it('API-4 a node keeps its lease while one part of the log takes longer than that', async () => {
    vi.useFakeTimers();
    try {
      const nodes = openNodes();
      const { id } = await nodes.node().start('admin:a');
      for (let seconds = 0; seconds < 90; seconds += 10) {
        nodes.advance(10_000);
        await vi.advanceTimersByTimeAsync(10_000);
      }
      const other = nodes.node();
      expect(await other.find(id)).toMatchObject({ state: 'running', rows: 0 });
      expect((await other.start('admin:b')).id).toBe(id);
      nodes.end(INTACT);
      await vi.advanceTimersByTimeAsync(0);
      expect((await other.find(id))?.state).toBe('finished');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('API-4 repeated starts fill no store: the last 20 results are kept', async () => {
    const nodes = openNodes();
    const one = nodes.node();
    const ids: string[] = [];
    for (let count = 0; count < 23; count += 1) {
      const { id } = await vi.waitFor(async () => {
        const started = await one.start('admin:a');
        expect(ids).not.toContain(started.id);
        return started;
      });
      ids.push(id);
      nodes.end(INTACT);
      await vi.waitFor(async () => expect(await nodes.store.get('audit-verification:running')).toBeNull());
    }
    const found = await Promise.all(ids.map((id) => one.find(id)));
    expect(found.map((each) => each?.state ?? null)).toEqual([null, null, null, ...Array(20).fill('finished')]);
  });

  it('API-4 a stop of the server interrupts it, and waits for no more than the next rows', async () => {
    const nodes = openNodes();
    const one = nodes.node();
    const { id } = await one.start('admin:a');
    const closed = one.close();
    await nodes.half();
    await closed;
    expect(await nodes.node().find(id)).toMatchObject({ state: 'interrupted', endedAt: expect.any(Number) });
    expect((await nodes.node().start('admin:b')).id).not.toBe(id);
  });

  it('API-4 a log that can not be read fails it, and one with very many faults ends early', async () => {
    const nodes = openNodes();
    const one = nodes.node();
    const failed = await one.start('admin:a');
    nodes.end(new Error('connection lost'));
    await vi.waitFor(async () => expect((await one.find(failed.id))?.state).toBe('failed'));
    expect(nodes.log.error).toHaveBeenCalledOnce();
    const many = await vi.waitFor(async () => {
      const next = await one.start('admin:a');
      expect(next.id).not.toBe(failed.id);
      return next;
    });
    await nodes.half(10_001);
    await vi.waitFor(async () => expect((await one.find(many.id))?.state).toBe('finished'));
    expect(await one.find(many.id)).toMatchObject({ intact: false, findingCount: 10_000, findings: [] });
  });

  it('CON-8 API-4 one with a checkpoint of another key gives way to one without, and not to another such', async () => {
    const nodes = openNodes();
    const [one, other] = [nodes.node(), nodes.node()];
    const checkpoint = { origin: 'kept/audit', sequence: 1, at: '2026-11-21T16:15:09.123Z' } as Checkpoint;
    const foreign = await one.start('admin:a', { checkpoint, publicKey: 'kept/audit+x' });
    expect((await other.start('admin:b', { checkpoint, publicKey: 'kept/audit+y' })).id).toBe(foreign.id);
    const own = await other.start('admin:b');
    expect(own).toMatchObject({ state: 'running', given: null });
    expect(await other.find(foreign.id)).toMatchObject({ state: 'interrupted' });
    expect((await one.start('admin:a', { checkpoint, publicKey: 'kept/audit+x' })).id).toBe(own.id);
    expect((await one.start('admin:a', { checkpoint, publicKey: null })).id).toBe(own.id);
    nodes.end(INTACT);
    await vi.waitFor(async () => expect((await one.find(own.id))?.state).toBe('finished'));
    expect([nodes.runs(), nodes.finished.map(({ id }) => id)]).toEqual([2, [own.id]]);
  });

  it('API-4 a store that lost the running one lets another start', async () => {
    const nodes = openNodes();
    const one = nodes.node();
    const { id } = await one.start('admin:a');
    await nodes.store.delete(`audit-verification:${id}`);
    expect(await one.find(id)).toBeNull();
    expect((await nodes.node().start('admin:b')).id).not.toBe(id);
  });
});

describe('verifying the audit log over HTTP', () => {
  let bench: TestBench;
  let app: App;
  let admin: Actor;
  let guard: Actor;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app(roomy);
    admin = await root(app);
    guard = await actor(app, admin, ['api:admin:audit-records:verify']);
  });
  afterAll(() => bench.close());

  async function verify(): Promise<Verification> {
    const response = await guard.call('POST', '/admin/audit-records/verify');
    expect(response.statusCode).toBe(202);
    const { data } = response.json();
    expect(data).toMatchObject({ state: 'running', startedBy: `admin:${guard.id}` });
    expect(response.headers.location).toBe(`/admin/audit-records/verifications/${data.id}`);
    return vi.waitFor(async () => {
      const found = (await guard.call('GET', response.headers.location as string)).json().data;
      expect(found.state).toBe('finished');
      return found;
    });
  }

  it('API-4 names every finding, and a log that is not intact is a security event', async () => {
    expect(await verify()).toMatchObject({ intact: true, findingCount: 0, percent: 100, rows: expect.any(Number) });
    const { orm } = bench.database;
    await orm.execute(sql`update audit_records set action = 'changed' where sequence = 2`);
    const { id, intact, findings } = await verify();
    expect([intact, findings]).toMatchObject([false, [{ kind: 'changed', sequence: 2 }]]);
    await vi.waitFor(async () => {
      const events = await orm.select().from(auditRecords).where(sql`action = 'security.audit-log-broken'`);
      expect(events).toMatchObject([{ target: id, actor: `admin:${guard.id}` }]);
    });
  });

  it('API-4 needs its permission, and an unknown id is 404', async () => {
    const self = await actor(app, admin, ['api:admin:audit-records:list']);
    expect((await self.call('POST', '/admin/audit-records/verify')).statusCode).toBe(403);
    const path = '/admin/audit-records/verifications';
    expect((await self.call('GET', `${path}/${self.id}`)).statusCode).toBe(403);
    for (const id of [self.id, 'running', '%00'])
      expect((await guard.call('GET', `${path}/${id}`)).statusCode).toBe(404);
  });

  it('AUD-11 the log is read by cursor while records are added, and a page by number tells where to go on', async () => {
    const search = async (query: string) => (await admin.call('GET', `/admin/audit-records?${query}`)).json();
    const first = await search('size=3');
    expect(first.page).toEqual({
      ...{ number: 1, size: 3, total: expect.any(Number), totalIsExact: true },
      next: expect.stringMatching(/^[0-9]+$/),
    });
    const second = await search(`size=2&after=${first.page.next}`);
    expect(second.page).toEqual({ size: 2, next: expect.any(String) });
    const again = await search('size=9&after=');
    expect(again.code).toBe('VALIDATION_FAILED');
    // Each search is recorded, too.
    const all = (await search('size=200')).data.map(({ id }: { id: string }) => id);
    const read = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    const from = all.indexOf(read[0]);
    expect(from).toBeGreaterThan(0);
    expect(read).toEqual(all.slice(from, from + 5));
    expect((await search('after=x')).errors).toMatchObject([{ pointer: '/after' }]);
  });
});
