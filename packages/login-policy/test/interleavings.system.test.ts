import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importMutant, type Mutation } from '../../../scripts/test-mutants.js';
import { cases } from '../../../scripts/test-properties.js';
import * as real from '../src/index.js';
import { drawRounds, driveAccount, type Sources } from './interleaved-attempts.js';

const source = (name: string) => new URL(`../src/${name}`, import.meta.url);

const property = (sources: Sources, hasChangeAll: boolean) =>
  fc.asyncProperty(fc.scheduler(), drawRounds(), (scheduler, rounds) =>
    driveAccount(sources, scheduler, rounds, hasChangeAll),
  );

interface SeededFault extends Mutation {
  readonly fault: string;
  /** What the interleavings must show. */
  readonly shows: RegExp;
  /** Whether the store carries out several changes together. Default false: places are taken one after the other. */
  readonly hasChangeAll?: boolean;
}

const faults: SeededFault[] = [
  {
    // The sign-in of the reference server until 818cf6a: it verified every password.
    fault: 'every guess gets a place',
    shows: /guesses of \d+ were let through/,
    file: source('counters/failure-counters.ts'),
    replace: 'if (tally.failures + tally.inFlight <= counter.limit) return',
    by: 'return',
  },
  {
    fault: 'a guess is counted only when it has failed',
    shows: /guesses of \d+ were let through|-\d+ in flight/,
    file: source('counters/counter-record.ts'),
    replace: `reserve: 1,
  /** An attempt in flight becomes a failure. */
  fail: FAILURE - 1,
  release: -1,`,
    by: 'reserve: 0, fail: FAILURE, release: 0,',
  },
  {
    fault: 'the tally is read and then written',
    shows: /were let through|in flight (?:at the end|a minute later)|are counted/,
    file: source('counters/failure-counters.ts'),
    replace: 'const { value, remainingMillis } = await store.increment(tallyKeyOf(counter, record), ttlMillis, by);',
    by: `const key = tallyKeyOf(counter, record);
    const value = Number((await store.get(key)) ?? 0) + by;
    await store.set(key, String(value), ttlMillis);
    const remainingMillis = ttlMillis;`,
  },
  {
    fault: 'a refused guess keeps its place',
    shows: /in flight (?:at the end|a minute later)/,
    file: source('counters/failure-counters.ts'),
    replace: `await step(counter, place.record, TALLY_STEP.release);
          if`,
    by: 'if',
  },
  {
    fault: 'a guess that a wider counter refuses keeps its place in the narrower one',
    shows: /in flight (?:at the end[^,]*|a minute later), by subject/,
    file: source('attempt.ts'),
    replace: `if ('refused' in verdict) {
          await Promise.all(places.map(counters.release));`,
    by: "if ('refused' in verdict) {",
  },
  {
    fault: 'a rejection that says nothing about the password keeps its place',
    shows: /in flight at the end/,
    file: source('attempt.ts'),
    replace: "if (judgement === 'irrelevant') await releaseAll(places);",
    by: '',
  },
  {
    // This package until ADP-6.
    fault: 'a broken verification gives its place back at once',
    shows: /guesses of \d+ were let through|in flight at the end/,
    file: source('attempt.ts'),
    replace: 'await Promise.allSettled(places.map(counters.keep));',
    by: 'await releaseAll(places);',
  },
  {
    fault: 'a broken verification keeps its place until the window ends',
    shows: /in flight a minute later/,
    file: source('attempt.ts'),
    replace: 'await Promise.allSettled(places.map(counters.keep));',
    by: '',
  },
  {
    fault: 'the list of kept places is read and then written',
    shows: /in flight a minute later/,
    file: source('counters/kept-places.ts'),
    replace: 'if (await store.compareAndSet(keyOf(tallyKey), text, list, ttlMillisOf(record))) return;',
    by: 'return void (await (store as TtlStore).set(keyOf(tallyKey), list, ttlMillisOf(record)));',
  },
  {
    fault: 'the next write forgets the places that have ended',
    shows: /in flight (?:at the end|a minute later)/,
    file: source('counters/kept-places.ts'),
    replace: 'ended: at(record, elapsedMillis).ended,',
    by: 'ended: 0,',
  },
  {
    fault: 'a place is given back too early',
    shows: /guesses of \d+ were let through|in flight at the end/,
    file: source('counters/kept-places.ts'),
    replace: 'const end = elapsedMillis + keptMillis;',
    by: 'const end = elapsedMillis + keptMillis - 60_000;',
  },
  {
    fault: 'a rejection with 401 is not counted',
    shows: /are counted|in flight at the end/,
    file: source('verification.ts'),
    replace: "isRefusal(outcome.error) ? 'failed' : 'unclear'",
    by: "'unclear'",
  },
  {
    fault: 'a guess is let through if the store gives no answer',
    shows: /guesses of \d+ were let through/,
    file: source('attempt.ts'),
    replace: `await releaseAll(places);
      throw error;
    }
    return { places };`,
    by: `}
    return { places };`,
  },
];

faults.push(
  {
    fault: 'a place is taken while the captcha is checked',
    shows: /was refused although others without a captcha take no places/,
    file: source('attempt.ts'),
    replace: `if (own.precheck !== undefined) {
      const isRecent = startAge(now);
      await passPrecheck(own.precheck);
      if (!isRecent()) lanes = await findLanes(applicant, policy);
    }
    const places = await enter(applicant, lanes, policy);`,
    by: `const places = await enter(applicant, lanes, policy);
    await own.precheck?.().catch(async (error) => {
      await releaseAll(places);
      throw error;
    });`,
  },
  {
    fault: 'the captcha is not checked',
    shows: /let through without its captcha/,
    file: source('attempt.ts'),
    replace: 'await passPrecheck(own.precheck);',
    by: '',
  },
  {
    fault: 'guesses with a device token are not counted',
    shows: /guesses of \d+ (?:were let through, by account and device|passed with the token alone)/,
    file: source('attempt.ts'),
    replace: '...snapshots.slice(wide.length)], common]',
    by: '], common]',
  },
  {
    fault: 'a device token opens the lock of the subject',
    shows: /let through after the lock|guesses of \d+ were let through, by 192|are counted, by subject/,
    file: source('attempt.ts'),
    replace: '[[common[0] as CounterSnapshot, ...snapshots',
    by: '[[...snapshots',
  },
);

const jointFaults: SeededFault[] = [
  {
    fault: 'places taken together are not limited',
    shows: /guesses of \d+ were let through/,
    file: source('counters/counter-record.ts'),
    replace: 'return failures * FAILURE + limit - failures;',
    by: 'return failures * FAILURE + FAILURE - 1 + limit * 0;',
  },
  {
    fault: 'places taken together replace a window that another attempt has begun',
    shows: /guesses of \d+ were let through|are counted/,
    file: source('counters/joint-reservations.ts'),
    replace: 'expected: replaces,',
    by: '',
  },
  {
    fault: 'a place of places taken together is not counted',
    shows: /guesses of \d+ were let through|in flight|are counted|later guesses were/,
    file: source('counters/joint-reservations.ts'),
    replace: '...wanted.map(countOf),',
    by: '...wanted.map(countOf).slice(1),',
  },
];
faults.push(...jointFaults.map((fault) => ({ ...fault, hasChangeAll: true })));

describe('in any interleaving of store calls, lost answers, deaths, clears and time', () => {
  it.each([true, false])(
    'REL-13 LGN-5 PRF-13 never more guesses than the limits get through, and no place is lost for ever: changeAll %s',
    async (hasChangeAll) => {
      await fc.assert(property(real, hasChangeAll), { numRuns: cases(400) });
    },
  );

  it.each(faults)(
    'REL-13 this finds the seeded fault: $fault',
    async ({ shows, hasChangeAll = false, ...mutation }) => {
      const mutant = await importMutant<typeof real>(source('index.ts'), mutation);
      // The histories are those of one seed, so that the search takes the same way each time.
      const { errorInstance } = await fc.check(property(mutant, hasChangeAll), {
        numRuns: 2000,
        seed: 1,
        endOnFailure: true,
      });
      expect(errorInstance instanceof Error ? errorInstance.message : 'nothing').toMatch(shows);
    },
  );
});
