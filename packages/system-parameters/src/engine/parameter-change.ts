import { createBoundedCall } from '../bounded-call.js';
import type { ChangeContext, ParameterValue } from '../definitions/index.js';
import { checkValue, valueText } from '../definitions/index.js';
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
import type { CheckedOptions } from './options.js';
import type { ParameterCache, Snapshot } from './parameter-cache.js';
import { type CatalogueEntry, namedValues, ruleFaults } from './parameter-catalogue.js';

/** What `change` is asked for. `value`, `version` and `confirm` may come as a client sent them. */
export interface ChangeRequest<Request = unknown> extends ChangeContext<Request> {
  readonly key: string;
  readonly value: unknown;
  /** The version that the change was decided on. */
  readonly version: unknown;
  readonly confirm?: unknown;
}

/** How often a change is judged anew because another one of its table came between; then it is a conflict. */
const MOST_ATTEMPTS = 5;

/** Makes changes: judged on what the source says now, written if that still holds. */
export function createParameterChanges<Request>(
  options: Pick<CheckedOptions<Request>, 'catalogue' | 'source' | 'timeoutMillis' | 'onChange'>,
  cache: ParameterCache,
) {
  const { catalogue, source, timeoutMillis, onChange } = options;
  const bounded = createBoundedCall(timeoutMillis);

  /** Every row of the table, so that each has a version to rest on. One deleted by hand is made anew. */
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
          // Its own limit ends the transaction, and the locks, of a hook that hangs.
          await bounded(async () => onChange?.(change));
        } catch (cause) {
          throw new ParameterChangeNotRecordedError({ cause });
        }
        // Whoever asked has been refused: nothing may come of it any more.
        if (caller.gaveUp) throw new Error('The caller has been refused already');
      }
      return source.write({
        key,
        value: valueText(newValue),
        updatedBy: changedBy,
        versions,
        beforeCommit: onChange === null ? null : record,
      });
    }).catch((error: unknown) => {
      // Late or broken, it may have been written all the same.
      cache.invalidate();
      if (error instanceof ParameterChangeNotRecordedError) throw error;
      return refuseUnavailable(error);
    });
  }

  /** Resolves to everything as it is with the change. */
  return async function change(asked: ChangeRequest<Request>): Promise<Snapshot> {
    const entry = catalogue.find(asked.key);
    if (entry === null) throw new ParameterUnknownError();
    if (typeof asked.changedBy !== 'string' || asked.changedBy === '') {
      throw new TypeError('changedBy must say who changes the parameter');
    }
    const { value, version, confirm } = readRequest(entry, asked);

    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const snapshot = await readTable(entry);
      if (snapshot.rows.get(asked.key)?.version !== version) throw new ParameterVersionConflictError();
      await judge(entry, snapshot, value, confirm, asked);
      const row = await write(entry, snapshot, value, asked);
      if (row !== null) return cache.take(row, snapshot);
    }
    throw new ParameterVersionConflictError();
  };
}

/** Everything that is wrong with the request by itself, at once. */
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

/** SYS-2: the rules of the table on the values as they would be; then its guard. */
async function judge<Request>(
  { definition, table }: CatalogueEntry,
  snapshot: Snapshot,
  newValue: ParameterValue,
  isConfirmed: boolean,
  { changedBy, request }: ChangeContext<Request>,
): Promise<void> {
  const { key } = definition;
  // Stored values that break a rule together rule nothing, but a change may be what mends them.
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
