import type { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { vi } from 'vitest';
import {
  createInterleaving,
  type Fate,
  type Interleaving,
  type SteppedProcess,
} from '../../../scripts/test-interleavings.js';
import type { auditLog } from '../src/index.js';
import type { createAuditedChanges, createPostgresAuditSink, verifyAuditLog } from '../src/postgres.js';
import { makeKey } from './records.js';

/*
 * Changes and their records under a scheduler: two nodes on one PGlite. Every query, and the begin and the commit of
 * every transaction, is a step; it may be refused, be carried out without an answer, or be the last one of its node.
 * At the end a sweep chains what is left, and changes and records are compared. Requirement REL-13.
 */

/** `inside`: a row and its record in one transaction. `outside`: an effect that no transaction can hold. */
type Route = 'inside' | 'outside';

/** How a handler ends. `loses its connection`: before its record, which the driver then sends by itself. */
type End = 'works' | 'fails' | 'loses its connection';

interface Request {
  readonly kind: 'request';
  readonly node: 0 | 1;
  readonly route: Route;
  readonly end: End;
}

/** `wait`: the timers of all nodes run for a time. `sweep`: the pending records are old enough, and a node sweeps. */
type Event = Request | { readonly kind: 'wait' } | { readonly kind: 'sweep'; readonly node: 0 | 1 };

export interface History {
  readonly rounds: readonly (readonly Event[])[];
  /** The fates of the first calls of each node. A node that died is started again, and has no more faults. */
  readonly fates: readonly [readonly Fate[], readonly Fate[]];
}

export function drawHistory(): fc.Arbitrary<History> {
  const node = fc.constantFrom<0 | 1>(0, 1);
  const event = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('request'),
        node,
        route: fc.constantFrom('inside', 'outside'),
        end: fc.constantFrom('works', 'works', 'works', 'fails', 'loses its connection'),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'wait' }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep'), node }) },
  );
  const faulty = fc
    .record({
      before: fc.nat(14),
      fates: fc.array(fc.constantFrom<Fate>('refused', 'unheard', 'dies before', 'dies after', 'done'), {
        minLength: 1,
        maxLength: 3,
      }),
    })
    .map(({ before, fates }) => [...Array.from({ length: before }, (): Fate => 'done'), ...fates]);
  const fates = fc.oneof(fc.constant([]), faulty, faulty);
  return fc.record({
    rounds: fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
    fates: fc.tuple(fates, fates),
  });
}

/** The sources under test: the real ones, or copies with a seeded fault. */
export interface Sources {
  readonly auditLog: typeof auditLog;
  readonly createAuditedChanges: typeof createAuditedChanges;
  readonly createPostgresAuditSink: typeof createPostgresAuditSink;
  readonly verifyAuditLog: typeof verifyAuditLog;
}

const key = makeKey();

/** As node-postgres and postgres-js report a connection that broke. */
const connectionLost = () => Object.assign(new Error('The connection is lost'), { code: 'ECONNRESET' });

/** PostgreSQL rolls a transaction back whose connection breaks. Later statements of it come by another connection. */
const LOSE_CONNECTION = 'rollback';

type Query = PGlite['query'];
type Work<Result> = (transaction: Parameters<Parameters<PGlite['transaction']>[0]>[0]) => Promise<Result>;

/** The client of one process. A transaction of a process that died is rolled back, as PostgreSQL does. */
function clientOf(embedded: PGlite, process: SteppedProcess, { turn, carryOut }: Interleaving): PGlite {
  /** The fate of a statement within a transaction, or of its commit. Throws where it is not carried out. */
  async function begin(wait: () => Promise<void>): Promise<Fate> {
    await wait();
    const fate = process.isDead ? 'dies before' : process.takeFate();
    if (fate === 'dies before') process.die();
    if (fate === 'dies before' || fate === 'refused') throw connectionLost();
    return fate;
  }

  function end(fate: Fate): void {
    if (fate === 'dies after') process.die();
    if (process.isDead || fate === 'unheard') throw connectionLost();
  }

  const client: Pick<PGlite, 'query' | 'transaction'> = {
    query: process.step((...args: Parameters<Query>) => embedded.query(...args)) as Query,

    async transaction<Result>(work: Work<Result>): Promise<Result> {
      await turn();
      try {
        return await carryOut(async (wait) => {
          const query = async (...args: Parameters<Query>) => {
            const fate = await begin(wait);
            if (args[0] === LOSE_CONNECTION) isLost = true;
            const rows = await transactionQuery(...args);
            end(fate);
            return rows;
          };
          let transactionQuery = embedded.query.bind(embedded);
          let commit: Fate = 'done';
          let isLost = false;
          const result = await embedded.transaction(async (transaction) => {
            transactionQuery = transaction.query.bind(transaction);
            const made = await work({ ...transaction, query } as typeof transaction);
            commit = await begin(wait);
            if (isLost) throw connectionLost();
            return made;
          });
          end(commit);
          return result as Result;
        });
      } catch (error) {
        if (process.isDead) return process.die();
        throw error;
      }
    },
  };
  return client as PGlite;
}

/** A node: an application of another team, with a table of things and a store outside of the database. */
interface Node {
  readonly process: SteppedProcess;
  readonly app: FastifyInstance;
  readonly sweep: () => Promise<number>;
}

const SWEEP_SECONDS = 3600;

/** Longer than every timeout and pause of the log. */
const SOME_TIME_MILLIS = 5000;

/** Drives two nodes through the history, and throws where changes and records do not correspond. */
export async function driveChanges(
  sources: Sources,
  embedded: PGlite,
  scheduler: fc.Scheduler,
  { rounds, fates }: History,
): Promise<void> {
  const database = drizzle(embedded);
  await database.execute(sql`truncate things, audit_records, audit_pending, audit_chain_heads`);
  const interleaving = createInterleaving(scheduler, connectionLost);
  const { carryOut, becomeQuiet, startProcess, release, turn } = interleaving;
  const outside = new Set<string>();
  const told = new Map<string, number>();
  const faults: string[] = [];
  const nodes: Node[] = [];

  async function start(fatesOfNode: readonly Fate[]): Promise<Node> {
    const process = startProcess(fatesOfNode);
    const orm = drizzle({ client: clientOf(embedded, process, interleaving) });
    const sink = sources.createPostgresAuditSink({
      database: orm,
      key,
      sweepSeconds: SWEEP_SECONDS,
      timeoutMillis: 300,
    });
    const changes = sources.createAuditedChanges({ database: orm, sink });
    const app = Fastify();
    // The look at the start is no step: nothing takes steps before the node has started.
    let isStarted = false;
    const check = async () => (isStarted ? sink.check() : undefined);
    await app.register(sources.auditLog, { sink: { ...sink, check }, retryMillis: 100, commitTimeoutMillis: 1000 });
    type Body = { Body: { item: string; end: End } };
    app.post<Body>('/inside', { config: { audit: { resource: 'thing', changes: 'in-handler' } } }, (request) =>
      changes.change({ request }, async (transaction, record) => {
        const { item, end } = request.body;
        record({ target: item });
        await transaction.execute(sql`insert into things values (${item})`);
        if (end === 'fails') throw new Error('The handler failed');
        if (end === 'loses its connection') await transaction.execute(sql.raw(LOSE_CONNECTION));
        return { made: item };
      }),
    );
    app.post<Body>('/outside', { config: { audit: { resource: 'file', changes: 'outside' } } }, async (request) => {
      const { item, end } = request.body;
      await turn();
      if (process.isDead) return process.die();
      request.audit?.set({ target: item });
      if (!(await carryOut(() => isRecorded(item)))) faults.push(`${item} took effect outside without a record`);
      outside.add(item);
      await turn();
      if (end === 'fails') throw new Error('The handler failed');
      return { made: item };
    });
    await app.ready();
    isStarted = true;
    return { process, app, sweep: sink.sweep };
  }

  /** Whether a committed record names the item. */
  async function isRecorded(item: string): Promise<boolean> {
    const { rows } = await embedded.query(
      `select 1 from audit_pending where record like $1
       union all select 1 from audit_records where parameters::text like $1`,
      [`%${item}%`],
    );
    return rows.length > 0;
  }

  async function nodeOf(index: 0 | 1): Promise<Node> {
    if (nodes[index]?.process.isDead) nodes[index] = await start([]);
    return nodes[index] as Node;
  }

  async function happen(event: Event, item: string): Promise<void> {
    await turn();
    if (event.kind === 'wait') return void vi.advanceTimersByTime(SOME_TIME_MILLIS);
    const { app, sweep } = await nodeOf(event.node);
    if (event.kind === 'sweep') {
      await carryOut(() => ageOf(SWEEP_SECONDS));
      // A sweep that fails is tried again by the next one.
      await sweep().catch(() => {});
      return;
    }
    const { route, end } = event;
    const { statusCode } = await app.inject({ method: 'POST', url: `/${route}`, payload: { item, end } });
    told.set(item, statusCode);
  }

  const ageOf = (seconds: number) =>
    embedded.query(`update audit_pending set written_at = written_at - $1 * interval '1 second'`, [seconds]);

  nodes.push(await start(fates[0]), await start(fates[1]));
  const items = new Map<string, Request>();
  for (const round of rounds) {
    for (const event of round) {
      const item = `item-${items.size + 1}-of-many`;
      if (event.kind === 'request') items.set(item, event);
      happen(event, item).catch((error) => faults.push(String(error)));
    }
    await becomeQuiet();
  }

  // All becomes well: what is queued is written, and a new node sweeps the rest.
  await release();
  for (let time = 0; time < 4; time += 1) {
    vi.advanceTimersByTime(SOME_TIME_MILLIS);
    await becomeQuiet();
  }
  const last = await start([]);
  for (let pass = 0; pass < 2; pass += 1) {
    await ageOf(SWEEP_SECONDS);
    await last.sweep();
    vi.advanceTimersByTime(SOME_TIME_MILLIS);
    await becomeQuiet();
  }

  // Changes and records correspond.
  const { rows: things } = await embedded.query<{ name: string }>('select name from things');
  const { rows: left } = await embedded.query('select 1 from audit_pending');
  const { rows: records } = await embedded.query<{ target: string | null; outcome: string; text: string }>(
    'select target, outcome, parameters::text as text from audit_records',
  );
  const made = new Set(things.map(({ name }) => name));
  if (left.length > 0) faults.push(`${left.length} records are still pending after a sweep`);
  for (const [item, { route }] of items) {
    const named = records.filter(({ target, text }) => target === item || text.includes(`"${item}"`));
    const successes = named.filter(({ outcome }) => outcome === 'success').length;
    const effects = Number(route === 'inside' ? made.has(item) : outside.has(item));
    if (route === 'inside' && successes !== effects) faults.push(`${effects} changes, ${successes} records: ${item}`);
    if (route === 'outside' && effects === 1 && named.length === 0) faults.push(`an effect without a record: ${item}`);
    if (route === 'outside' && successes > effects) faults.push(`a record of success without an effect: ${item}`);
    if (told.get(item) === 200 && (effects !== 1 || successes !== 1)) faults.push(`told 200, untrue: ${item}`);
  }
  const { intact } = await sources.verifyAuditLog({ database, key });
  if (!intact) faults.push('the chain is not intact');
  await Promise.all([...nodes, last].filter(({ process }) => !process.isDead).map(({ app }) => app.close()));
  if (faults.length > 0) throw new Error(faults.join('; '));
}
