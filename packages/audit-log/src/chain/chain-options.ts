import { type AuditKey, auditKeysFaults } from './audit-keys.js';
import type { AuditDatabase, AuditTables } from './postgres-table.js';

/** Where the log lies, and the keys of its chain. */
export interface AuditChainOptions extends AuditTables {
  /** A drizzle database over postgres-js, PGlite or node-postgres, with READ COMMITTED, PostgreSQL's default. Required. It stays yours: it is never closed here. */
  readonly database: AuditDatabase;
  /** The key of the chain. Required. `parseAuditKey` reads it from a text. Requirement AUD-6. */
  readonly key: AuditKey;
  /** Earlier keys, for rows and checkpoints that were made with them. Default none. */
  readonly previousKeys?: readonly AuditKey[];
}

/** What is wrong with database, tables and keys. */
export function chainOptionFaults({ database, key, previousKeys }: Partial<AuditChainOptions>): string[] {
  return [
    ...(typeof database?.transaction === 'function'
      ? []
      : ['database must be a drizzle database: drizzle(…) of drizzle-orm/postgres-js or /pglite']),
    ...auditKeysFaults(key, previousKeys ?? []),
  ];
}

/** @throws TypeError where there are faults. */
export function refuseFaults(where: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new TypeError(`${where}: ${faults.join('; ')}`);
}
