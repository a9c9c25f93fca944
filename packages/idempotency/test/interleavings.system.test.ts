import type { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import type { Fate } from '../../../scripts/test-interleavings.js';
import { importMutant, type Mutation } from '../../../scripts/test-mutants.js';
import { cases } from '../../../scripts/test-properties.js';
import * as realPostgres from '../src/postgres/index.js';
import * as realRecords from '../src/records/index.js';
import * as realRuns from '../src/runs/index.js';
import {
  type Backend,
  createMemoryBackend,
  drawRounds,
  driveKey,
  type End,
  type Rounds,
  type Sources,
} from './interleaved-runs.js';
import { createOrders, createPostgresBackend } from './interleaved-transactions.js';

const source = (name: string) => new URL(`../src/${name}`, import.meta.url);
const real: Sources = { ...realRecords, ...realRuns, ...realPostgres };

async function withFault(mutation: Mutation): Promise<Sources> {
  const records = await importMutant<typeof realRecords>(source('records/index.ts'), mutation);
  const runs = await importMutant<typeof realRuns>(source('runs/index.ts'), mutation);
  const postgres = await importMutant<typeof realPostgres>(source('postgres/index.ts'), mutation);
  return { ...records, ...runs, ...postgres };
}

const ends: readonly End[] = ['works', 'works', 'works', 'refuses', 'fails', 'dies before', 'dies after'];
const fates: readonly Fate[] = ['refused', 'unheard', 'late'];
const rounds = drawRounds([...ends, 'hangs'], fates);
// Without 'hangs', which takes the most calls: each is a query.
const roundsOfQueries = drawRounds(ends, fates);
const roundsOfTransactions = drawRounds([...ends, 'dies within', 'commits unheard', 'loses its connection'], fates, [
  'completes in vain',
]);

const holds = (sources: Sources, drawn: fc.Arbitrary<Rounds>, createBackend: () => Backend) =>
  fc.asyncProperty(fc.scheduler(), drawn, async (scheduler, drawnRounds) => {
    try {
      await driveKey(sources, createBackend(), scheduler, drawnRounds);
    } finally {
      vi.clearAllTimers();
    }
  });

/** The histories are those of one seed, so that the search takes the same way each time. */
async function findFault(property: fc.IAsyncProperty<unknown>, numRuns: number, seed = 1): Promise<string> {
  const { errorInstance } = await fc.check(property, { numRuns, seed, endOnFailure: true });
  return errorInstance instanceof Error ? errorInstance.message : 'nothing';
}

interface SeededFault extends Mutation {
  readonly fault: string;
  /** What the interleavings must show. */
  readonly shows: string;
  /** Of histories that soon show it. */
  readonly seed?: number;
}

const faultsOfRuns: readonly SeededFault[] = [
  {
    // The code until 017b7f6.
    fault: 'a run that never ends renews its lease for ever',
    shows: 'no definite answer',
    file: source('runs/lease.ts'),
    replace: 'renewalsLeft >= 0 && (await',
    by: '(await',
  },
  {
    // The code until ec3714e: a late delete hit the lease of the next attempt.
    fault: 'the lease of an attempt in vain is deleted',
    shows: 'an unknown outcome without a reason',
    file: source('records/ttl-record-store.ts'),
    replace: 'return store.setIfAbsent(recordKey(scope), write(record), retentionMillis);',
    by: `const isFirst = await store.setIfAbsent(recordKey(scope), write(record), retentionMillis);
      if (!isFirst) store.delete(leaseKey(record)).catch(() => {});
      return isFirst;`,
  },
  {
    fault: 'the record is written before its lease',
    shows: 'an unknown outcome without a reason',
    file: source('records/ttl-record-store.ts'),
    replace: `await startLease(record);
      return store.setIfAbsent(recordKey(scope), write(record), retentionMillis);`,
    by: `const isFirst = await store.setIfAbsent(recordKey(scope), write(record), retentionMillis);
      await startLease(record);
      return isFirst;`,
  },
  {
    fault: 'a record is overtaken whatever its lease',
    shows: 'a run began after one that may have taken effect',
    file: source('runs/idempotent-runs.ts'),
    replace: "if (finding.kind === 'processing') break;",
    by: "if (finding.kind === 'processing') { await records.replace(scope, (await records.read(scope)).record, null); isAbsent = true; }",
  },
  {
    fault: 'a lapsed run is taken over although its effect is unknown',
    shows: 'a run began after one that may have taken effect',
    file: source('runs/idempotent-runs.ts'),
    replace: 'record.isTransactional && isTransactional;',
    by: 'true;',
  },
  {
    fault: 'a run that failed midway releases its key',
    shows: 'a run began after one that may have taken effect',
    file: source('runs/idempotent-runs.ts'),
    replace: 'unknown: () => records.replace(scope, held, markUnknown(held)),',
    by: 'unknown: () => records.replace(scope, held, release(held)),',
  },
  {
    fault: 'a claim whose answer was lost runs',
    shows: 'a run began after one that may have taken effect',
    file: source('runs/idempotent-runs.ts'),
    replace: 'throw new IdempotencyStoreUnavailableError(retryAfterSeconds, error);\n      }\n      return createRun',
    by: '}\n      return createRun',
  },
];

/** The records of PostgreSQL. */
const faultsOfPostgres: readonly (SeededFault & { readonly isTransactional?: false })[] = [
  {
    // The code until e966e58: a driver may send the statement by itself after the transaction's connection broke.
    fault: 'the record is completed outside of the transaction',
    shows: 'SUBMITTED, with 0 effects',
    seed: 54,
    file: source('postgres/postgres-statements.ts'),
    replace: 'sql`pg_current_xact_id_if_assigned() is not null`',
    by: 'sql`true`',
  },
  {
    // The code until IDM-12.
    fault: 'a completion that was rolled back is trusted',
    shows: 'run again after an effect',
    file: source('runs/idempotent-runs.ts'),
    replace: 'return confirmCompletion(completion);',
    by: "return 'settled';",
  },
  {
    fault: 'a retry that takes over keeps the owner token',
    shows: 'a run on a store that is well failed',
    file: source('records/idempotency-record.ts'),
    replace: 'return { ...lapsed, owner };',
    by: 'return lapsed;',
  },
  {
    fault: 'a lease that has not run out is overtaken',
    shows: 'an unknown outcome without a reason',
    isTransactional: false,
    file: source('postgres/postgres-statements.ts'),
    replace: 'leasedUntil} <= statement_timestamp()',
    by: 'leasedUntil} is not null',
  },
];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('in any interleaving of calls, lost answers, deaths and lapsing leases, on a TtlStore', () => {
  const property = (sources: Sources) => holds(sources, rounds, () => createMemoryBackend(sources));

  it('REL-13 IDM-3 IDM-6 a key has one effect, and a definite and true answer after the lease', async () => {
    await fc.assert(property(real), { numRuns: cases(600) });
  });

  it.each(faultsOfRuns)('REL-13 this finds the seeded fault: $fault', async ({ shows, ...mutation }) => {
    expect(await findFault(property(await withFault(mutation)), 2000)).toContain(shows);
  });
});

/** Some seconds; more on a busy machine. */
const timeout = 180_000;

describe('in any interleaving of calls, lost answers, deaths and lapsing leases, on PGlite', { timeout }, () => {
  let embedded: PGlite;
  beforeAll(async () => {
    embedded = await openTestEmbedded();
    await createOrders(embedded);
  });
  afterAll(() => embedded.close());

  const property = (sources: Sources, isTransactional: boolean) =>
    holds(sources, isTransactional ? roundsOfTransactions : roundsOfQueries, () =>
      createPostgresBackend(sources, embedded, { isTransactional }),
    );

  it('REL-13 IDM-3 IDM-7 IDM-12 a key has one committed effect, and a definite and true answer after the lease', async () => {
    await fc.assert(property(real, true), { numRuns: cases(80) });
  });

  it('REL-13 IDM-3 IDM-6 so has a key of runs that are not transactional', async () => {
    await fc.assert(property(real, false), { numRuns: cases(80) });
  });

  it.each(faultsOfPostgres)('REL-13 this finds the seeded fault: $fault', async (seeded) => {
    const { shows, seed, isTransactional = true, ...mutation } = seeded;
    expect(await findFault(property(await withFault(mutation), isTransactional), 1000, seed)).toContain(shows);
  });
});
