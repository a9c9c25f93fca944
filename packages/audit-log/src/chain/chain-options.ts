import { option } from '@sallyport/plugin-kit/options';
import { databaseRule } from '@sallyport/plugin-kit/postgres';
import type { AuditDatabase, DrizzleDatabase } from './audit-database.js';
import { type AuditKey, keyRule } from './audit-keys.js';
import { type AuditTables, tableRules } from './postgres-table.js';

/** The tables of a log, and the keys of its chain. */
export interface AuditChainOptions extends AuditTables {
  /**
   * A drizzle database over postgres-js, PGlite or node-postgres, with READ COMMITTED, PostgreSQL's default. Required.
   * This package never closes it.
   */
  readonly database: AuditDatabase;
  /** The key of the chain. Required. `parseAuditKey` reads it from a text. */
  readonly key: AuditKey;
  /** Earlier keys, for rows and checkpoints that were made with them. Default none. */
  readonly previousKeys?: readonly AuditKey[];
}

export const chainRules = {
  ...tableRules,
  database: databaseRule<DrizzleDatabase>('transaction'),
  key: keyRule,
  previousKeys: option<readonly AuditKey[]>({
    meaning: 'a list of keys',
    accepts: Array.isArray,
    faults: (keys: readonly unknown[], name) => keys.flatMap((key, index) => keyRule.faults(key, `${name}[${index}]`)),
    read: (keys: readonly unknown[]) => keys.map(keyRule.read),
    default: [],
  }),
};

/** Faults of the keys together. */
export function keyFaults({
  key,
  previousKeys = [],
}: {
  readonly key?: AuditKey | null;
  readonly previousKeys?: readonly AuditKey[];
}): string[] {
  const ids = [...(key === undefined || key === null ? [] : [key]), ...previousKeys].map(({ id }) => id);
  return new Set(ids).size === ids.length ? [] : ['key and previousKeys must have different ids'];
}
