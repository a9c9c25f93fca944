import type { BoundedCall } from '@sallyport/plugin-kit/deadlines';
import {
  assertExpected,
  assertKey,
  assertMark,
  assertMarkedEntry,
  assertPart,
  assertWrite,
  isHeld,
  type MarkSight,
  type MarkTerms,
  NO_BOUNDS,
  refusalOf,
  type StoreMarks,
} from '../contract/index.js';
import { type prepareStatements, readValue } from './postgres-statements.js';

export interface PostgresMarksDependencies {
  readonly statements: Pick<
    ReturnType<typeof prepareStatements>,
    'keepMark' | 'replaceMark' | 'setIfMarked' | 'getIfMarked' | 'seeMark'
  >;
  readonly keyPrefix: string;
  readonly bounded: BoundedCall;
  readonly countWrite: () => void;
  readonly writeIfAbsent: (key: string, value: string, ttlMillis: number) => Promise<boolean>;
}

/** The marks of a database: one part. */
export function createPostgresMarks(dependencies: PostgresMarksDependencies): StoreMarks {
  const { statements, keyPrefix, bounded, countWrite, writeIfAbsent } = dependencies;

  async function see(mark: MarkTerms): Promise<MarkSight> {
    const [row] = await bounded(() => statements.seeMark.execute({ mark: keyPrefix + mark.key }));
    if (row === undefined) throw new Error('The database returned no row');
    const { time, run, value, expiresAt } = row;
    const sight = {
      time: Number(time),
      run,
      value: readValue(value === null ? undefined : { value }),
      expiresAt: Number(expiresAt ?? 0),
    };
    return { ...sight, holds: isHeld(sight, mark) };
  }

  const termsOf = ({ key, value, run, minExpiresAt }: MarkTerms) => ({
    mark: keyPrefix + key,
    markValue: value,
    run,
    minExpiresAt,
  });

  return {
    parts: 1,

    async keep(part, mark, ttlMillis) {
      assertPart(part, 1);
      assertMark(mark);
      assertWrite(mark.key, mark.value, ttlMillis);
      const [row] = await bounded(() => statements.keepMark.execute({ ...termsOf(mark), ttlMillis }));
      if (row === undefined) return { ...(await see(mark)), holds: false };
      const { value, run } = mark;
      return { holds: true, time: Number(row.time), run, value, expiresAt: Number(row.expiresAt) };
    },

    async replace(part, key, expected, value, ttlMillis, bounds = NO_BOUNDS) {
      assertPart(part, 1);
      assertWrite(key, value, ttlMillis);
      if (expected === null) return writeIfAbsent(key, value, ttlMillis);
      assertExpected(expected);
      const given = { mark: keyPrefix + key, expected, value, ttlMillis, ...bounds };
      return (await bounded(() => statements.replaceMark.execute(given))).length === 1;
    },

    async setIfAbsent(part, mark, entry) {
      assertPart(part, 1);
      assertMark(mark);
      assertMarkedEntry(entry);
      const { key, ...rest } = entry;
      const given = { ...termsOf(mark), ...rest, key: keyPrefix + key };
      const [row] = await bounded(() => statements.setIfMarked.execute(given));
      if (row === undefined) {
        const sight = await see(mark);
        return { ...sight, outcome: refusalOf(sight, entry) };
      }
      countWrite();
      const { value, run, minExpiresAt } = mark;
      return { holds: true, time: Number(row.time), run, value, expiresAt: minExpiresAt, outcome: 'written' };
    },

    async get(part, mark, key) {
      assertPart(part, 1);
      assertMark(mark);
      assertKey(key);
      const given = { ...termsOf(mark), key: keyPrefix + key };
      const [row] = await bounded(() => statements.getIfMarked.execute(given));
      return { holds: row !== undefined, value: readValue(row?.value == null ? undefined : { value: row.value }) };
    },

    keyIn(part, key) {
      assertPart(part, 1);
      return key;
    },
  };
}
