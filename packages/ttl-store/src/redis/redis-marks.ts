import type { Cluster, Redis } from 'ioredis';
import {
  assertExpected,
  assertKey,
  assertMark,
  assertMarkedEntry,
  assertPart,
  assertWrite,
  type MarkedRead,
  type MarkSight,
  type MarkTerms,
  NO_BOUNDS,
  refusalOf,
  type StoreMarks,
} from '../contract/index.js';
import { isCluster } from './redis-connection.js';
import { BATCH_SIZES, type BatchSize, type RedisScripts } from './redis-scripts.js';

/**
 * The parts of a Cluster. Their slots are spread, so that each master of a small Cluster has some. A mark is in the
 * slot of its entries, and therefore on their master, even after the slot has moved. A beat of a caller reads each
 * part.
 */
const CLUSTER_PARTS = 16;

const MAX_BATCH = BATCH_SIZES.at(-1) as number;

interface Batch {
  readonly keys: string[];
  readonly reply: Promise<unknown>;
}

export interface RedisMarksDependencies {
  readonly client: Redis | Cluster;
  readonly keyPrefix: string;
  readonly scripts: Pick<RedisScripts, 'keepMark' | 'replaceMark' | 'setIfMarked' | 'getIfMarked'>;
  readonly send: <Reply>(command: () => Promise<Reply>) => Promise<Reply>;
}

/** The marks of a Redis, or one mark for each of some slots of a Cluster. */
export function createRedisMarks({ client, keyPrefix, scripts, send }: RedisMarksDependencies): StoreMarks {
  const parts = isCluster(client) ? CLUSTER_PARTS : 1;
  // The braces of a Cluster key choose its slot. Without a Cluster, keys are the same as for `setIfAbsent`.
  const keyIn = (part: number, key: string) => (parts > 1 ? `{${part}}${key}` : key);
  const keyOf = (part: number, key: string) => keyPrefix + keyIn(part, key);
  const argumentsOf = ({ value, run, minExpiresAt }: MarkTerms) => [value, run, String(minExpiresAt)];

  const open = new Map<string, Batch>();

  /**
   * Reads under one mark in one turn of the event loop become one call, because the mark costs Redis more than an entry
   * does.
   */
  function readTogether(part: number, mark: MarkTerms, key: string): Promise<MarkedRead> {
    const stored = keyOf(part, mark.key);
    const terms = argumentsOf(mark);
    const name = [stored, ...terms].join('\n');
    let batch = open.get(name);
    if (batch === undefined || batch.keys.length >= MAX_BATCH) {
      const keys: string[] = [];
      const reply = new Promise<unknown>((resolve, reject) => {
        setImmediate(() => {
          if (open.get(name)?.keys === keys) open.delete(name);
          const size = BATCH_SIZES.find((entries) => entries >= keys.length) as BatchSize;
          // The key of the mark fills the places of missing entries.
          const filled = Array.from({ length: size }, (_, place) => keys[place] ?? stored);
          send(() => scripts.getIfMarked(size)(stored, ...filled, ...terms)).then(resolve, reject);
        });
      });
      batch = { keys, reply };
      open.set(name, batch);
    }
    const place = batch.keys.push(keyOf(part, key)) - 1;
    return batch.reply.then((reply) => {
      if (!Array.isArray(reply)) return { holds: false, value: null };
      return { holds: true, value: reply[place] as string | null };
    });
  }

  return {
    parts,

    async keep(part, mark, ttlMillis) {
      assertPart(part, parts);
      assertMark(mark);
      assertWrite(mark.key, mark.value, ttlMillis);
      const reply = await send(() => scripts.keepMark(keyOf(part, mark.key), ...argumentsOf(mark), String(ttlMillis)));
      return sightOf(reply as readonly unknown[]);
    },

    async replace(part, key, expected, value, ttlMillis, { minExpiresAt, notAfter } = NO_BOUNDS) {
      assertPart(part, parts);
      assertWrite(key, value, ttlMillis);
      const stored = keyOf(part, key);
      if (expected === null) return (await send(() => client.set(stored, value, 'PX', ttlMillis, 'NX'))) === 'OK';
      assertExpected(expected);
      const numbers = [ttlMillis, minExpiresAt, notAfter].map(String);
      return Number(await send(() => scripts.replaceMark(stored, expected, value, ...numbers))) === 1;
    },

    async setIfAbsent(part, mark, entry) {
      assertPart(part, parts);
      assertMark(mark);
      assertMarkedEntry(entry);
      const { value, ttlMillis, keepUntil, notBefore, notAfter } = entry;
      const reply = (await send(() =>
        scripts.setIfMarked(
          keyOf(part, mark.key),
          keyOf(part, entry.key),
          ...argumentsOf(mark),
          value,
          ...[ttlMillis, keepUntil, notBefore, notAfter].map(String),
        ),
      )) as readonly unknown[];
      const sight = sightOf(reply);
      return { ...sight, outcome: Number(reply[5]) === 1 ? 'written' : refusalOf(sight, entry) };
    },

    async get(part, mark, key) {
      assertPart(part, parts);
      assertMark(mark);
      assertKey(key);
      return readTogether(part, mark, key);
    },

    keyIn(part, key) {
      assertPart(part, parts);
      return keyIn(part, key);
    },
  };
}

function sightOf([holds, time, run, value, expiresAt]: readonly unknown[]): MarkSight {
  return {
    holds: Number(holds) === 1,
    time: Number(time),
    run: String(run),
    value: value === null ? null : String(value),
    expiresAt: Number(expiresAt),
  };
}
