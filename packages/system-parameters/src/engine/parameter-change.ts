import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { type ChangeContext, checkValue, type ParameterValue, valueText } from '../definitions/index.js';
import {
  ParameterChangeNotRecordedError,
  ParameterConfirmationNeededError,
  type ParameterFault,
  ParameterInvalidError,
  ParameterUnknownError,
  ParameterVersionConflictError,
  SystemParametersUnavailableError,
} from '../errors.js';
import type { ParameterRow } from '../sources/index.js';
import { type EngineOptions, MAX_UNSETTLED_CALLS } from './options.js';
import type { ParameterCache, Snapshot } from './parameter-cache.js';
import { type CatalogueEntry, namedValues, ruleFaults } from './parameter-catalogue.js';

/** A requested change. `value`, `version` and `confirm` may be unchecked values of a client. */
export interface ChangeRequest<Request = unknown> extends ChangeContext<Request> {
  readonly key: string;
  readonly value: unknown;
  /** The version that the caller has read. */
  readonly version: unknown;
  readonly confirm?: unknown;
}

/** After another change of the same table, the change is judged again. After this many attempts it is a conflict. */
const MAX_ATTEMPTS = 5;

/** Judges a change by the current rows of the source, and writes it if they are still current. */
export function createParameterChanges<Request>(
  options: Pick<EngineOptions<Request>, 'tables' | 'source' | 'timeoutMillis' | 'onChange'>,
  cache: ParameterCache,
) {
  const { tables: catalogue, source, timeoutMillis, onChange } = options;
  const bounded = createBoundedCall({ timeoutMillis, maxUnsettled: MAX_UNSETTLED_CALLS });

  /**
   * All rows of the table are read, because the write compares all versions. Rows that were deleted by hand are created
   * again.
   */
  async function readTable({ table }: CatalogueEntry): Promise<Snapshot> {
    const snapshot = await cache.readNow();
    if (table.entries.every(({ definition }) => snapshot.rows.has(definition.key))) return snapshot;
    await bounded(() => source.declare(catalogue.declared())).catch(refuseUnavailable);
    return cache.readNow();
  }

  async function write(
    entry: CatalogueEntry,
    snapshot: Snapshot,
    newValue: ParameterValue,
    { changedBy, request }: ChangeContext<Request>,
  ): Promise<ParameterRow | null> {
    const { key } = entry.definition;
    const oldValue = snapshot.values.get(key)!;
    const keys = entry.table.entries.map(({ definition }) => definition.key);
    const versions = new Map(keys.map((name) => [name, snapshot.rows.get(name)?.version ?? 0]));
    return bounded((caller) => {
      async function record(row: ParameterRow, transaction: unknown): Promise<void> {
        const change = { key, oldValue, newValue, version: row.version, changedBy, request, transaction };
        try {
          // The hook has a separate limit, so that a hanging hook ends the transaction and its locks.
          await bounded(async () => onChange?.(change));
        } catch (cause) {
          throw new ParameterChangeNotRecordedError({ cause });
        }
        // The caller was refused, so the change must no longer be committed.
        if (caller.gaveUp) throw new Error('The caller has been refused already');
      }
      return source.write({
        key,
        value: valueText(newValue),
        updatedBy: changedBy,
        versions,
        beforeCommit: onChange === undefined ? null : record,
      });
    }).catch((error: unknown) => {
      // After a failure or a timeout, the change may still have been written.
      cache.invalidate();
      if (error instanceof ParameterChangeNotRecordedError) throw error;
      return refuseUnavailable(error);
    });
  }

  /** Resolves to the snapshot that includes the change. */
  return async function change(asked: ChangeRequest<Request>): Promise<Snapshot> {
    const entry = catalogue.find(asked.key);
    if (entry === null) throw new ParameterUnknownError();
    if (typeof asked.changedBy !== 'string' || asked.changedBy === '') {
      throw new TypeError('changedBy must say who changes the parameter');
    }
    const { value, version, confirm } = readRequest(entry, asked);

    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const snapshot = await readTable(entry);
      if (snapshot.rows.get(asked.key)?.version !== version) throw new ParameterVersionConflictError();
      await judge(entry, snapshot, value, confirm, asked);
      const row = await write(entry, snapshot, value, asked);
      if (row !== null) return cache.take(row, snapshot);
    }
    throw new ParameterVersionConflictError();
  };
}

/** Checks the request alone, and reports all faults at once. */
function readRequest(entry: CatalogueEntry, { value, version, confirm = false }: ChangeRequest) {
  const checked = checkValue(entry.definition, value);
  const faults: ParameterFault[] = [];
  if ('fault' in checked) faults.push({ pointer: '/value', detail: checked.fault });
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) {
    faults.push({ pointer: '/version', detail: 'must be the version that was read, a whole number' });
  }
  if (typeof confirm !== 'boolean') faults.push({ pointer: '/confirm', detail: 'must be true or false' });
  if ('fault' in checked || faults.length > 0) throw new ParameterInvalidError(faults);
  return { value: checked.value, version, confirm: confirm === true };
}

/** SYS-2: applies the rules of the table to the values after the change, then its guard. */
async function judge<Request>(
  { definition, table }: CatalogueEntry,
  snapshot: Snapshot,
  newValue: ParameterValue,
  isConfirmed: boolean,
  { changedBy, request }: ChangeContext<Request>,
): Promise<void> {
  const { key } = definition;
  // Stored values that break a rule are not in force, but this change may be the one that repairs them.
  const stored = snapshot.storedValues;
  const values = namedValues(table.entries, (other) =>
    other.definition.key === key ? newValue : stored.get(other.definition.key)!,
  );
  const faults = ruleFaults(table.given, values);
  if (faults.length > 0) throw new ParameterInvalidError(faults.map((detail) => ({ pointer: '/value', detail })));

  if (isConfirmed) return;
  const proposal = { key, oldValue: snapshot.values.get(key)!, newValue, values };
  const why = (await table.given.guard?.(proposal, { changedBy, request })) ?? null;
  if (why !== null) throw new ParameterConfirmationNeededError(why);
}

function refuseUnavailable(cause: unknown): never {
  throw new SystemParametersUnavailableError({ cause });
}
