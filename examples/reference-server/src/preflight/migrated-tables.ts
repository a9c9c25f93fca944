import type { MigrationState } from '../storage/migrations.js';
import type { PreflightContext, PreflightDatabase, PreflightStores, StoreCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';

/**
 * `current`: the tables are those of this release. `missing`: the next start creates all of them. `pending`: it changes
 * some, or creates only some. `unknown`: it would be refused, and the tables may belong to another application.
 */
type TableState = 'current' | 'missing' | 'pending' | 'unknown';

function stateOf(tables: readonly string[], { isNewer, obstacles, tables: pending }: MigrationState): TableState {
  if (tables.length === 0) return 'current';
  if (isNewer || obstacles.length > 0) return 'unknown';
  if (tables.every((table) => pending.created.has(table))) return 'missing';
  const isPending = tables.some((table) => pending.created.has(table) || pending.changed.has(table));
  return isPending ? 'pending' : 'current';
}

/** Whether the columns of a table are those of this release. */
export function isCurrent(database: PreflightDatabase, table: string): boolean {
  return stateOf([table], database.migrations) === 'current';
}

/** The check, or an item with the reason why it was skipped. The journal of the migrations decides (OPS-13). */
export function unlessPending({ id, tables, run }: StoreCheck) {
  return {
    id,
    async *run(context: PreflightContext & { readonly stores: PreflightStores }): AsyncGenerator<PreflightItem> {
      const { database } = context.stores;
      const state = database === null ? 'current' : stateOf(tables, database.migrations);
      if (state === 'pending') {
        yield {
          id: `${id}.skipped`,
          severity: 'info',
          finding: `the check ${id} was skipped, because pending migrations change its tables (${tables.join(', ')})`,
          fix: 'nothing: the next start migrates them and checks again; the preflight can be run after it',
        };
      } else if (state === 'unknown') {
        yield {
          id: `${id}.skipped`,
          severity: 'info',
          finding: `the check ${id} was skipped, because this release can not migrate its tables (${tables.join(', ')})`,
          fix: 'correct the errors of the database, and run this again',
        };
      } else {
        yield* await run({ ...context, areTablesMissing: state === 'missing' });
      }
    },
  };
}
