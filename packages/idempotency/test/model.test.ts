import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import type { FastifyError } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTtlRecordStore } from '../src/records/ttl-record-store.js';
import { createIdempotentRuns, type IdempotentRuns } from '../src/runs/idempotent-runs.js';
import { newKey } from './idempotent-app.js';

/** How a handler ends; `dies`: never, as in a process that is killed. */
type End = 'done' | 'refused' | 'failed' | 'dies';

interface Request {
  readonly kind: 'request';
  readonly node: 0 | 1;
  readonly content: 'a' | 'b';
  /** What the handler does if this request runs. */
  readonly end: End;
}
/** The leases of all present runs run out, dead or only slow. */
interface Lapse {
  readonly kind: 'lapse';
}

/** One call of the handler. */
interface Execution {
  readonly content: string;
  readonly end: End;
  isOver: boolean;
}

const request = fc.record<Request>({
  kind: fc.constant('request'),
  node: fc.constantFrom(0, 1),
  content: fc.constantFrom('a', 'a', 'a', 'b'),
  end: fc.constantFrom('done', 'done', 'refused', 'failed', 'dies'),
});
const lapse = fc.constant<Lapse>({ kind: 'lapse' });
const step = fc.oneof({ weight: 5, arbitrary: request }, { weight: 1, arbitrary: lapse });
/** Rounds of concurrent steps. */
const rounds = fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 4 });

const LEASE = 30_000;

describe('IDM-6 in any interleaving of requests, deaths and lapsing leases', () => {
  let nodes: readonly IdempotentRuns[];
  let time = 1_000_000;
  let scheduler: fc.Scheduler | null = null;
  let executions: Execution[] = [];
  /** Runs that started although another was running or might have taken effect. */
  let excess: Execution[] = [];

  const turn = async () => void (await scheduler?.schedule(Promise.resolve()));

  /** The scheduler decides when each verb takes effect, so that two nodes interleave in any order. */
  function interleaved(store: TtlStore): TtlStore {
    const verbs = Object.entries(store).map(([name, verb]) => [
      name,
      typeof verb === 'function' ? (...args: unknown[]) => turn().then(() => verb(...args)) : verb,
    ]);
    return Object.fromEntries(verbs) as TtlStore;
  }

  // No renewals: a run whose lease has lapsed was paused.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const store = interleaved(createMemoryStore({ now: () => time }));
    const terms = { leaseMillis: LEASE, retentionMillis: 1000 * LEASE };
    const open = () =>
      createIdempotentRuns({
        records: createTtlRecordStore(store, 'test:', terms),
        ...terms,
        retryAfterSeconds: 1,
        warn: () => {},
      });
    nodes = [open(), open()];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The answer to the client; null if the process died. */
  async function send(scope: string, { node, content, end }: Omit<Request, 'kind'>): Promise<string | null> {
    try {
      const run = await (nodes[node] as IdempotentRuns).begin({ scope, digest: content, isTransactional: false });
      const execution: Execution = { content, end, isOver: false };
      if (executions.some((earlier) => !earlier.isOver || earlier.end !== 'refused')) excess.push(execution);
      executions.push(execution);
      await turn();
      if (end === 'dies') return null;
      execution.isOver = true;
      await run.settle(({ done: 'submitted', refused: 'nothing-done', failed: 'unknown' } as const)[end]);
      return end.toUpperCase();
    } catch (error) {
      return (error as FastifyError).code;
    }
  }

  it('a key runs again only after a refusal, and every retry gets a definite and true answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (given, steps) => {
        [executions, excess, scheduler] = [[], [], given];
        const key = newKey();
        const answers: (string | null)[] = [];
        let hasLapsed = false;
        for (const round of steps) {
          const all = round.map(async (each) => {
            if (each.kind === 'request') return void answers.push(await send(key, each));
            await turn();
            hasLapsed = true;
            time += LEASE;
          });
          await given.waitFor(Promise.all(all));
        }
        scheduler = null;

        expect(excess).toEqual([]);
        const told = new Set(answers.filter((answer) => answer !== null));
        for (const answer of told) expect(DEFINITE).toContain(answer);
        const ends = new Set(executions.map(({ end }) => end));
        const contents = new Set(steps.flat().map((each) => each.kind === 'request' && each.content));
        // Every answer is true.
        if (told.has('DONE') || told.has('IDEMPOTENCY_SUBMITTED')) expect(ends).toContain('done');
        if (told.has('IDEMPOTENCY_DIGEST_MISMATCH')) expect(contents.size).toBeGreaterThan(1);
        if (told.has('IDEMPOTENCY_OUTCOME_UNKNOWN')) expect(ends.has('failed') || hasLapsed).toBe(true);
        expect(told).not.toContain('IDEMPOTENCY_STORE_UNAVAILABLE');

        // All runs that are left are dead, and the client asks once more.
        time += LEASE;
        const last = executions.find(({ end }) => end !== 'refused');
        const final = await send(key, { node: 1, content: (last?.content ?? 'a') as 'a', end: 'done' });
        const expected =
          last === undefined ? 'DONE' : last.end === 'done' ? 'IDEMPOTENCY_SUBMITTED' : 'IDEMPOTENCY_OUTCOME_UNKNOWN';
        // A lease that lapsed during a slow run leaves the outcome unknown for good.
        expect([
          expected,
          ...(hasLapsed ? ['IDEMPOTENCY_OUTCOME_UNKNOWN', 'IDEMPOTENCY_DIGEST_MISMATCH'] : []),
        ]).toContain(final);
      }),
      { numRuns: 1000 },
    );
  });
});

const DEFINITE = [
  'DONE',
  'REFUSED',
  'FAILED',
  'IDEMPOTENCY_PROCESSING',
  'IDEMPOTENCY_SUBMITTED',
  'IDEMPOTENCY_OUTCOME_UNKNOWN',
  'IDEMPOTENCY_DIGEST_MISMATCH',
];
