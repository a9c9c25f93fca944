import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import fc from 'fast-check';
import type { FastifyError } from 'fastify';
import { vi } from 'vitest';
import { createInterleaving, type Fate, SILENCE, type Step, stepwise } from '../../../scripts/test-interleavings.js';
import type { createPostgresIdempotencyStore } from '../src/postgres/index.js';
import type { createTtlRecordStore, RecordStore, RecordTerms } from '../src/records/index.js';
import type { createIdempotentRuns, Outcome, Run } from '../src/runs/index.js';
import { newKey } from './idempotent-app.js';

/*
 * Idempotent runs under a scheduler. Every call of the store is a step that the scheduler releases in an order of its
 * choice. A step may be refused, answered to nobody or take effect late, a process may die between any two steps, and
 * time may pass with or without renewals. Requirement REL-13.
 */

/**
 * How a handler ends. `fails`: after a part of its effect. `hangs`: never, while its process renews the lease. The
 * others concern transactions: `dies within` before the commit, `commits unheard` when the answer to the commit is
 * lost, `loses its connection` when the driver sends the completion outside of the transaction that is gone, and
 * `completes in vain` when a savepoint with the completion is rolled back before the commit.
 */
export type End =
  | 'works'
  | 'refuses'
  | 'fails'
  | 'dies before'
  | 'dies after'
  | 'hangs'
  | 'dies within'
  | 'commits unheard'
  | 'loses its connection'
  | 'completes in vain';

export interface Request {
  readonly kind: 'request';
  readonly content: 'a' | 'b';
  /** What the handler does if this request runs. */
  readonly end: End;
  /** What the handler does before its effect. */
  readonly turnsOfWork: number;
  /** The fates of the first calls of its process. Later ones are done. */
  readonly fates: readonly Fate[];
}

/** `lapse`: all processes stand still for a lease. `renew`: a third of a lease passes, and the timers run. */
type Event = Request | { readonly kind: 'lapse' } | { readonly kind: 'renew' };

export type Rounds = readonly (readonly Event[])[];

const LEASE = 30_000;
/** Processes that run renew once a turn. */
const TURNS_PER_LEASE = 3;
/** Longer than all events together, so that no record expires during them. */
const RETENTION = 20;
const TERMS: RecordTerms = { leaseMillis: LEASE, retentionMillis: RETENTION * LEASE };

/** In thirds of a lease: the lease of a run that ends or dies, and a turn of the timers. */
const MAX_TURNS_TO_ANSWER = 4;
/** A run that hangs renews for the time of the retention. */
const MAX_TURNS_TO_ANSWER_A_HANGING_RUN = TURNS_PER_LEASE * RETENTION + MAX_TURNS_TO_ANSWER;

/**
 * Rounds of concurrent events. A third is without faults and lapses, where every answer has to be exact; a third is of
 * runs that are slower than their leases; a third is of everything.
 *
 * @param mistakes ends that keep their promises only without faults and lapses
 */
export function drawRounds(
  ends: readonly End[],
  fates: readonly Fate[],
  mistakes: readonly End[] = [],
): fc.Arbitrary<Rounds> {
  const requestWith = (end: fc.Arbitrary<End>, fate: fc.Arbitrary<readonly Fate[]>) =>
    fc.record<Request>({
      kind: fc.constant('request'),
      content: fc.oneof({ weight: 9, arbitrary: fc.constant('a') }, { weight: 1, arbitrary: fc.constant('b') }),
      end,
      turnsOfWork: fc.nat(3),
      fates: fate,
    });
  const calm = requestWith(fc.constantFrom('works', 'refuses', 'refuses', ...mistakes), fc.constant([]));
  const wild = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    {
      weight: 8,
      arbitrary: requestWith(
        fc.constantFrom(...ends),
        fc.oneof(fc.constant([]), fc.array(fc.constantFrom('done', ...fates), { maxLength: 6 })),
      ),
    },
    { weight: 2, arbitrary: fc.constant({ kind: 'lapse' }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'renew' }) },
  );
  const roundsOf = (event: fc.Arbitrary<Event>) =>
    fc.array(fc.array(event, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 });
  const slow = fc.oneof<fc.WeightedArbitrary<Event>[]>(
    { weight: 3, arbitrary: requestWith(fc.constantFrom('works', 'dies before'), fc.constant([])) },
    { weight: 1, arbitrary: fc.constant({ kind: 'lapse' }) },
  );
  return fc.oneof(roundsOf(calm), roundsOf(slow), roundsOf(wild));
}

/** The sources under test: the real ones, or copies with a seeded fault. */
export interface Sources {
  readonly createIdempotentRuns: typeof createIdempotentRuns;
  readonly createTtlRecordStore: typeof createTtlRecordStore;
  readonly createPostgresIdempotencyStore: typeof createPostgresIdempotencyStore;
}

/** The place where records and effects are kept. */
export interface Backend {
  /** Records of one process, whose every call passes `step`. */
  open(step: Step, terms: RecordTerms): RecordStore;
  pass(millis: number): Promise<void>;
  /**
   * The effect of a transactional handler with this end, committed with its record; null if runs are not transactional.
   */
  readonly commit: ((run: Run, scope: string, end: End, turn: () => Promise<void>) => Promise<void>) | null;
  /** How many effects of transactions are committed. */
  countCommitted(scope: string): Promise<number>;
}

/** Records on a memory store with a clock of its own. */
export function createMemoryBackend({ createTtlRecordStore }: Pick<Sources, 'createTtlRecordStore'>): Backend {
  let time = 1_000_000;
  const store: TtlStore = createMemoryStore({ now: () => time });
  return {
    open: (step, terms) => createTtlRecordStore(stepwise(store, step), 'test:', terms),
    pass: async (millis) => {
      time += millis;
    },
    commit: null,
    countCommitted: async () => 0,
  };
}

/** One call of a handler. */
interface Execution {
  readonly end: End;
  isOver: boolean;
}

const OUTCOMES: Readonly<Partial<Record<End, Outcome>>> = {
  works: 'submitted',
  refuses: 'nothing-done',
  fails: 'unknown',
};

/** Drives one key through the rounds, and throws for what a client must never see. */
export async function driveKey(
  sources: Sources,
  backend: Backend,
  scheduler: fc.Scheduler,
  rounds: Rounds,
): Promise<void> {
  const scope = newKey();
  const isTransactional = backend.commit !== null;
  const executions: Execution[] = [];
  const told: string[] = [];
  const faults: string[] = [];
  let effects = 0;
  let hasLapsed = false;

  const { turn, carryOut, startProcess, becomeQuiet, release } = createInterleaving(
    scheduler,
    () => new StoreUnavailableError(),
  );

  /** The answer to the client. Never resolves if the process died. */
  async function send({ content, end, turnsOfWork, fates }: Omit<Request, 'kind'>): Promise<string> {
    // Each request has a process of its own.
    const { step, die } = startProcess(fates);
    const records = backend.open(step, TERMS);
    const runs = sources.createIdempotentRuns({ ...TERMS, records, retryAfterSeconds: 1, warn: () => {} });
    let run: Run;
    try {
      run = await runs.begin({ scope, digest: content, isTransactional });
    } catch (error) {
      return (error as FastifyError).code;
    }
    // A run that is not transactional may have taken effect as soon as it has begun.
    const isSecond = executions.some((earlier) => !earlier.isOver || earlier.end !== 'refuses');
    if (!isTransactional && isSecond) faults.push('a run began after one that may have taken effect');
    const execution: Execution = { end, isOver: false };
    executions.push(execution);
    for (let work = 0; work < turnsOfWork; work += 1) await turn();
    if (end === 'dies before') return die();
    if (end === 'hangs') return SILENCE;
    let outcome = OUTCOMES[end] ?? 'submitted';
    const { commit } = backend;
    if (commit !== null && outcome !== 'nothing-done') {
      outcome = 'submitted';
      try {
        await carryOut((turnWithin) => commit(run, scope, end, turnWithin));
      } catch (error) {
        if (error instanceof Death) return die();
        // As the plugin does: what failed within the transaction was rolled back with it.
        outcome = 'nothing-done';
      }
    } else if (outcome !== 'nothing-done') {
      effects += 1;
      await turn();
    }
    if (end === 'dies after') return die();
    execution.isOver = true;
    const settlement = await run.settle(outcome);
    if (settlement === 'unconfirmed') return 'UNCONFIRMED';
    return outcome === 'submitted' && settlement === 'settled' ? 'DONE' : 'FAILED';
  }

  /** A third of a lease passes for processes that run. */
  async function renew(): Promise<void> {
    await backend.pass(LEASE / TURNS_PER_LEASE);
    vi.advanceTimersByTime(LEASE / TURNS_PER_LEASE);
  }

  async function happen(event: Event): Promise<void> {
    if (event.kind === 'request') return void told.push(await send(event));
    await turn();
    if (event.kind === 'renew') return renew();
    hasLapsed = true;
    await backend.pass(LEASE);
  }

  for (const round of rounds) {
    // The renewing calls of a round may all be released after its turns of the clock, which then are a whole lease.
    if (round.filter(({ kind }) => kind === 'renew').length >= TURNS_PER_LEASE) hasLapsed = true;
    for (const event of round) void happen(event).catch((error) => faults.push(String(error)));
    await becomeQuiet();
  }
  await release();

  const before = isTransactional ? await backend.countCommitted(scope) : effects;
  if (before > 1) faults.push(`${before} effects`);

  // The store is well again, and the client asks until the answer is definite.
  const sent = rounds.flat().filter((event) => event.kind === 'request');
  let turns = 0;
  let answer = '';
  for (; turns <= MAX_TURNS_TO_ANSWER_A_HANGING_RUN; turns += 1) {
    for (const content of ['a', 'b'] as const) {
      answer = await send({ content, end: 'works', turnsOfWork: 0, fates: [] });
      await becomeQuiet();
      if (answer !== 'IDEMPOTENCY_DIGEST_MISMATCH') break;
    }
    if (answer !== 'IDEMPOTENCY_PROCESSING') break;
    await renew();
    await becomeQuiet();
  }
  const after = isTransactional ? await backend.countCommitted(scope) : effects;
  const isHanging = executions.some(({ end }) => end === 'hangs');
  if (turns > (isHanging ? MAX_TURNS_TO_ANSWER_A_HANGING_RUN : MAX_TURNS_TO_ANSWER)) faults.push('no definite answer');

  // Every answer is true.
  const isCalm = !hasLapsed && sent.every(({ fates }) => fates.every((fate) => fate === 'done'));
  const hasDoubt = executions.some(({ end }) => !['works', 'refuses'].includes(end));
  told.push(answer);
  for (const code of told) if (!DEFINITE.includes(code)) faults.push(`an answer was ${code}`);
  if (answer === 'IDEMPOTENCY_STORE_UNAVAILABLE') faults.push('refused by a store that is well');
  if (answer === 'FAILED') faults.push('a run on a store that is well failed');
  if (answer === 'IDEMPOTENCY_DIGEST_MISMATCH') faults.push('a mismatch of every content');
  if (answer === 'IDEMPOTENCY_SUBMITTED' && before !== 1) faults.push(`SUBMITTED, with ${before} effects`);
  if (answer === 'DONE' && before !== 0) faults.push('run again after an effect');
  if (isTransactional && after > 1) faults.push(`${after} effects at the end`);
  if (told.slice(0, -1).includes('DONE') && before !== 1) faults.push(`told DONE, with ${before} effects`);
  const isMistaken = executions.some(({ end }) => end === 'completes in vain');
  if (isTransactional && !isMistaken && told.includes('IDEMPOTENCY_OUTCOME_UNKNOWN')) faults.push('an unknown outcome');
  if (isCalm && !hasDoubt && told.includes('IDEMPOTENCY_OUTCOME_UNKNOWN')) {
    faults.push('an unknown outcome without a reason');
  }
  if (faults.length > 0) throw new Error(`${faults.join('; ')} (answers: ${told.join(', ')})`);
}

/** Rolls a transaction back, as PostgreSQL does when its client is gone. */
export class Death extends Error {}

const DEFINITE = [
  'DONE',
  'FAILED',
  'UNCONFIRMED',
  'IDEMPOTENCY_PROCESSING',
  'IDEMPOTENCY_SUBMITTED',
  'IDEMPOTENCY_OUTCOME_UNKNOWN',
  'IDEMPOTENCY_DIGEST_MISMATCH',
  'IDEMPOTENCY_STORE_UNAVAILABLE',
];
