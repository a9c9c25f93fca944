import {
  checkValue,
  definitionFaults,
  type ParameterDefinition,
  type ParameterTable,
  type ParameterValue,
  type ParameterValues,
  valueText,
} from '../definitions/index.js';
import type { DeclaredParameter, ParameterRow } from '../sources/index.js';

/** A definition, its table, and the property name of its value. */
export interface CatalogueEntry {
  readonly name: string;
  readonly definition: ParameterDefinition;
  readonly table: CatalogueTable;
}

export interface CatalogueTable {
  readonly given: ParameterTable;
  readonly entries: readonly CatalogueEntry[];
}

/** The result of evaluating rows: a value for every key, and the faults of stored values. */
export interface Evaluation {
  readonly values: ReadonlyMap<string, ParameterValue>;
  /** The values before the rules of the tables are applied, which are the basis for judging a change. */
  readonly storedValues: ReadonlyMap<string, ParameterValue>;
  /** The reasons why stored values are not in force, by key. */
  readonly faults: ReadonlyMap<string, string>;
}

/** All definitions of all tables. */
export interface ParameterCatalogue {
  readonly keys: readonly string[];
  readonly entries: readonly CatalogueEntry[];
  find(key: string): CatalogueEntry | null;
  /** Rows for `ParameterSource.declare`. */
  declared(): readonly DeclaredParameter[];
  /** Evaluates rows. It never fails: an unusable value is replaced by its fallback and reported. */
  evaluate(rows: ReadonlyMap<string, ParameterRow>): Evaluation;
}

/**
 * The catalogue of the tables. Use it only if there are no faults.
 *
 * @param path the name of the list of tables, for the faults
 */
export function readTables(
  tables: readonly ParameterTable[],
  path: string,
): { readonly catalogue: ParameterCatalogue; readonly faults: readonly string[] } {
  const byKey = new Map<string, CatalogueEntry>();
  const faults: string[] = [];
  const catalogueTables = tables.map((given, index) => {
    const entries: CatalogueEntry[] = [];
    const table: CatalogueTable = { given, entries };
    for (const [name, definition] of Object.entries(given.definitions)) {
      const entry = { name, definition, table };
      faults.push(...definitionFaults(definition, `${path}[${index}].definitions.${name}`));
      if (typeof definition.key === 'string' && byKey.has(definition.key))
        faults.push(`${definition.key} is defined twice`);
      else byKey.set(definition.key, entry);
      entries.push(entry);
    }
    return table;
  });
  // Rules and checks may rely on values of the right type.
  if (faults.length === 0) faults.push(...catalogueTables.flatMap(startFaults));
  return { catalogue: createCatalogue(byKey, catalogueTables), faults };
}

function createCatalogue(
  byKey: ReadonlyMap<string, CatalogueEntry>,
  tables: readonly CatalogueTable[],
): ParameterCatalogue {
  const entries = [...byKey.values()].sort((a, b) => (a.definition.key < b.definition.key ? -1 : 1));
  return {
    keys: entries.map(({ definition }) => definition.key),
    entries,
    find: (key) => byKey.get(key) ?? null,
    declared: () =>
      entries.map(({ definition: { key, type, isPublic, description, default: value } }) => {
        return { key, type, defaultValue: valueText(value), isPublic, description };
      }),
    evaluate: (rows) => evaluateTables(tables, rows),
  };
}

/**
 * The value in force while the stored one can't be used. It never gives less protection than the definition requires.
 */
function fallbackOf({ default: value, fallback = value }: ParameterDefinition): ParameterValue {
  return fallback;
}

/** The defaults and the fallbacks must obey the rules of their table, because all of them may be in force together. */
function startFaults({ given, entries }: CatalogueTable): string[] {
  const broken = (name: 'default' | 'fallback', pick: (definition: ParameterDefinition) => ParameterValue) =>
    ruleFaults(
      given,
      namedValues(entries, ({ definition }) => pick(definition)),
    ).map(
      (fault) =>
        `the ${name} values of ${entries.map(({ definition }) => definition.key).join(', ')} break a rule: ${fault}`,
    );
  return [...broken('default', (definition) => definition.default), ...broken('fallback', fallbackOf)];
}

export function namedValues(
  entries: readonly CatalogueEntry[],
  pick: (entry: CatalogueEntry) => ParameterValue,
): ParameterValues<ParameterTable['definitions']> {
  return Object.freeze(Object.fromEntries(entries.map((entry) => [entry.name, pick(entry)])));
}

/** A rule that throws counts as broken. */
export function ruleFaults(
  table: ParameterTable,
  values: ParameterValues<ParameterTable['definitions']>,
): readonly string[] {
  try {
    return table.rules?.(values) ?? [];
  } catch {
    return ['a rule of the table failed on these values'];
  }
}

function evaluateTables(tables: readonly CatalogueTable[], rows: ReadonlyMap<string, ParameterRow>): Evaluation {
  const storedValues = new Map<string, ParameterValue>();
  const faults = new Map<string, string>();
  for (const { definition } of tables.flatMap(({ entries }) => entries)) {
    const checked = storedValue(definition, rows.get(definition.key));
    if ('fault' in checked) faults.set(definition.key, `the stored value ${checked.fault}`);
    storedValues.set(definition.key, 'fault' in checked ? fallbackOf(definition) : checked.value);
  }

  const values = new Map(storedValues);
  for (const table of tables) {
    const broken = ruleFaults(table.given, valuesOf(table, values));
    if (broken.length === 0) continue;
    for (const { definition } of revoked(table, storedValues, rows)) {
      values.set(definition.key, fallbackOf(definition));
      faults.set(definition.key, `the stored values break a rule: ${broken.join('; ')}`);
    }
  }
  return { values, storedValues, faults };
}

function valuesOf({ entries }: CatalogueTable, values: ReadonlyMap<string, ParameterValue>) {
  return namedValues(entries, ({ definition }) => values.get(definition.key)!);
}

/**
 * The entries whose fallbacks repair stored values that break a rule together. This is the first entry, in the order of
 * the definitions, that repairs it alone, so that the others stay in force, or else all entries. The result is the same
 * on every node.
 */
function revoked(
  table: CatalogueTable,
  stored: ReadonlyMap<string, ParameterValue>,
  rows: ReadonlyMap<string, ParameterRow>,
): readonly CatalogueEntry[] {
  const alone = table.entries.find(({ definition }) => {
    const isChanged = (rows.get(definition.key)?.version ?? 0) > 0;
    const repaired = new Map(stored).set(definition.key, fallbackOf(definition));
    return isChanged && ruleFaults(table.given, valuesOf(table, repaired)).length === 0;
  });
  return alone === undefined ? table.entries : [alone];
}

function storedValue(definition: ParameterDefinition, row: ParameterRow | undefined) {
  if (row === undefined || row.version === 0) return { value: definition.default };
  try {
    return checkValue(definition, row.value);
  } catch {
    return { fault: 'makes its check fail' };
  }
}
