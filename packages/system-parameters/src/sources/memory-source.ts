import { callback, readOptions } from '@sallyport/plugin-kit/options';
import { SystemParametersSetupError } from '../errors.js';
import type { ParameterRow, ParameterSource, ParameterWrite } from './parameter-source.js';

export interface MemorySourceOptions {
  /** The clock of `updatedAt`, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

const rules = {
  now: callback<() => number>({ that: 'returns milliseconds, such as Date.now', default: Date.now }),
};

/**
 * Parameters in the memory of this process, for tests and for servers that start from the defaults each time.
 *
 * @example
 * ```ts
 * export default fp(async (app) => {
 *   await app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
 * });
 * ```
 */
export function createMemorySource(options: MemorySourceOptions = {}): ParameterSource {
  const { now } = readOptions<Required<MemorySourceOptions>>(
    { subject: 'createMemorySource', SetupError: SystemParametersSetupError },
    options,
    rules,
  );
  // The number of rows is bounded by the definitions, because only declared keys have a row.
  const rows = new Map<string, ParameterRow>();
  let lastWrite: Promise<unknown> = Promise.resolve();

  async function writeNow({ key, value, updatedBy, versions, beforeCommit }: ParameterWrite) {
    const present = rows.get(key);
    const isAsExpected = [...versions].every(([name, version]) => rows.get(name)?.version === version);
    if (present === undefined || !isAsExpected) return null;
    const since = present.value === value ? present.updatedAt : null;
    const row = { ...present, value, updatedBy, version: present.version + 1, updatedAt: since ?? new Date(now()) };
    await beforeCommit?.(row, null);
    rows.set(key, row);
    return row;
  }

  return {
    async declare(parameters) {
      for (const { key, defaultValue, isPublic } of parameters) {
        const present = rows.get(key);
        if (present === undefined) {
          rows.set(key, { key, value: defaultValue, isPublic, version: 0, updatedBy: null, updatedAt: null });
        } else if (present.version === 0) rows.set(key, { ...present, value: defaultValue });
      }
    },

    async read(keys) {
      return keys.flatMap((key) => rows.get(key) ?? []);
    },

    // One write after the other, as on a database, because `beforeCommit` may be slow.
    write(write) {
      const written = lastWrite.then(() => writeNow(write));
      lastWrite = written.catch(() => {});
      return written;
    },
  };
}
