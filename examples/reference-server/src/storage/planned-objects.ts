/** An object that a migration creates, whose name must be unique in its schema. */
export interface PlannedObject {
  readonly name: string;
  readonly kind: 'relation' | 'table' | 'type';
}

const CREATION =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unique\s+|unlogged\s+|materialized\s+)?(table|index|type|domain|sequence|view)\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?"([^"]+)"/gi;

/** PostgreSQL gives an unnamed constraint a free name. A named one fails if its index can't have the name. */
const NAMED_INDEX = /\bconstraint\s+"([^"]+)"\s+(?:unique|primary\s+key|exclude)\b/gi;

const RENAMING = /\balter\s+(table|index|type|domain|sequence|view)\s+"[^"]+"\s+rename\s+to\s+"([^"]+)"/gi;

/** The names that these statements of drizzle-kit use. A test compares them with the catalog of PostgreSQL. */
export function plannedObjects(statements: readonly string[]): PlannedObject[] {
  const text = statements.join(';\n');
  const found = new Map<string, PlannedObject>();
  for (const [, what = '', name = ''] of [...text.matchAll(CREATION), ...text.matchAll(RENAMING)]) {
    found.set(name, { name, kind: kindOf(what.toLowerCase()) });
  }
  for (const [, name = ''] of text.matchAll(NAMED_INDEX)) found.set(name, { name, kind: 'relation' });
  return [...found.values()];
}

/** The tables that statements create, and those of others whose columns or rows they change. */
export interface ChangedTables {
  readonly created: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
}

const CREATED_TABLE = /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?"([^"]+)"/gi;

const CHANGED_TABLE =
  /\b(?:(?:alter|drop|truncate)\s+table|insert\s+into|update|delete\s+from)\s+(?:if\s+exists\s+)?(?:only\s+)?"([^"]+)"/gi;

/** An index does not change the result of a query. */
export function changedTables(statements: readonly string[]): ChangedTables {
  const text = statements.join(';\n');
  const namesIn = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  const created = new Set(namesIn(CREATED_TABLE));
  return { created, changed: new Set(namesIn(CHANGED_TABLE).filter((name) => !created.has(name))) };
}

function kindOf(what: string): PlannedObject['kind'] {
  if (what === 'type' || what === 'domain') return 'type';
  // A table or view also creates a type with its name.
  return what === 'table' || what === 'view' ? 'table' : 'relation';
}
