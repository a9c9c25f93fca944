import { assertChanges, type Change, isCount, isWrite, notACounter, type TtlStore } from '../contract/index.js';
import type { RedisScripts } from './redis-scripts.js';

export interface RedisChangesDependencies {
  readonly keyPrefix: string;
  readonly scripts: Pick<RedisScripts, 'changeAll'>;
  readonly send: <Reply>(command: () => Promise<Reply>) => Promise<Reply>;
}

/** One script for all keys. A Cluster has them in several slots, so its store has no `changeAll`. */
export function createRedisChanges(dependencies: RedisChangesDependencies): NonNullable<TtlStore['changeAll']> {
  const { keyPrefix, scripts, send } = dependencies;
  return async function changeAll(changes) {
    assertChanges(changes);
    if (changes.length === 0) return { done: true, counters: [] };
    const keys = changes.map(({ key }) => keyPrefix + key);
    const reply = await send(() => scripts.changeAll(keys, changes.flatMap(argumentsOf)));
    if (!Array.isArray(reply)) throw notACounter();
    const [done, found] = reply as [unknown, readonly unknown[]];
    if (Number(done) !== 1) {
      return { done: false, values: found.map((value) => (value === null ? null : String(value))) };
    }
    const counters = found.map((counter) => {
      if (!Array.isArray(counter)) return null;
      const [value, remainingMillis] = counter;
      return { value: Number(value), remainingMillis: Math.max(1, Number(remainingMillis)) };
    });
    return { done: true, counters };
  };
}

/** As the script takes them: kind of the change, value or amount, TTL, condition and expected value, or both bounds. */
function argumentsOf(change: Change): string[] {
  if (isCount(change)) {
    const { by, ttlMillis, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER } = change;
    return ['add', String(by), String(ttlMillis), String(least), String(most)];
  }
  const condition =
    change.expected === undefined ? ['any', ''] : change.expected === null ? ['absent', ''] : ['is', change.expected];
  if (!isWrite(change)) return ['keep', '', '', ...condition];
  return change.value === null
    ? ['delete', '', '', ...condition]
    : ['set', change.value, String(change.ttlMillis), ...condition];
}
