/** A JSON schema, as it stands in the document. */
export type Schema = Readonly<Record<string, unknown>>;

/** The titles that are names. Clients are generated with them, so they are identifiers. */
const NAME = /^[A-Z][A-Za-z0-9]*$/;

/** Whether a schema describes what a client sends or what it receives. */
export type Direction = 'request' | 'answer';

export interface NamedSchemas {
  /**
   * Replaces each schema with a name by a reference, at any depth.
   *
   * @param where the operation and the place, for errors
   * @throws {TypeError} if another schema has the same name
   */
  refer(schema: Schema, direction: Direction, where: string): Schema;
  /** The named schemas, sorted by name. */
  all(): Readonly<Record<string, Schema>>;
}

/**
 * Collects the named schemas of the document. The name of a schema is its `title`: the keyword is an annotation, so
 * validators and serializers ignore it, and packages can name the schemas of their routes too.
 */
export function createNamedSchemas(): NamedSchemas {
  const named = new Map<string, { readonly schema: Schema; readonly text: string; readonly where: string }>();

  function add(name: string, schema: Schema, where: string): Schema {
    const text = JSON.stringify(schema);
    const other = named.get(name);
    if (other !== undefined && other.text !== text) {
      throw new TypeError(`${where}: the schema ${name} differs from that of ${other.where}`);
    }
    if (other === undefined) named.set(name, { schema, text, where });
    return { $ref: `#/components/schemas/${name}` };
  }

  function refer(schema: Schema, direction: Direction, where: string): Schema {
    const inner = mapSubschemas(schema, (each) => refer(each, direction, where));
    const { title, ...rest } = direction === 'request' ? withoutDefaulted(inner) : inner;
    const plain = withRequiredAlternatives(withIntegerFormat(withMergedAlternatives(rest)));
    if (typeof title !== 'string') return plain;
    return NAME.test(title) ? add(title, plain, where) : { title, ...plain };
  }

  return {
    refer,
    all: () =>
      Object.fromEntries(
        [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, { schema }]) => [name, schema]),
      ),
  };
}

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const SINGLE = ['items', 'additionalProperties', 'not'];
const LISTS = ['anyOf', 'oneOf', 'allOf'];
const BY_NAME = ['properties'];

function mapSubschemas(schema: Schema, map: (subschema: Schema) => Schema): Schema {
  const changed = Object.entries(schema).map(([keyword, value]) => {
    if (SINGLE.includes(keyword) && isSchema(value)) return [keyword, map(value)];
    if (LISTS.includes(keyword)) return [keyword, (value as Schema[]).map(map)];
    if (BY_NAME.includes(keyword)) {
      return [keyword, Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, map(each)]))];
    }
    return [keyword, value];
  });
  return Object.fromEntries(changed);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}

/** The validator fills in a member with a default, so that a client may leave it out. */
function withoutDefaulted(schema: Schema): Schema {
  const { required, ...rest } = schema;
  if (!Array.isArray(required)) return schema;
  const properties = (rest.properties ?? {}) as Readonly<Record<string, Schema>>;
  const needed = required.filter((name: string) => properties[name]?.default === undefined);
  return needed.length === 0 ? rest : { ...rest, required: needed };
}

/** The format of integers with more than 32 bits, such as times. Clients in other languages have to know. */
const WIDE = 'int64';

/** An integer without a maximum can be a time. */
function withIntegerFormat(schema: Schema): Schema {
  const isInteger = [schema.type].flat().includes('integer');
  const isWide = isInteger && schema.maximum === undefined && schema.format === undefined;
  return isWide ? { ...schema, format: WIDE } : schema;
}

/** Alternatives of texts become one `enum`, those of plain types one `type`. */
function withMergedAlternatives(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || rest.type !== undefined) return schema;
  const isText = ({ type, enum: values, ...others }: Schema) =>
    type === 'string' && Array.isArray(values) && Object.keys(others).length === 0;
  if (anyOf.every(isText)) return { type: 'string', enum: anyOf.flatMap(({ enum: values }) => values), ...rest };
  const isPlain = ({ type, format = WIDE, ...others }: Schema) =>
    typeof type === 'string' && format === WIDE && Object.keys(others).length === 0;
  return anyOf.every(isPlain) ? { type: anyOf.map(({ type }) => type), ...rest } : schema;
}

/**
 * Generators of types read 'one of these members is required' next to the members as `unknown`. Next to the object,
 * with the members repeated, it becomes a union of objects.
 */
function withRequiredAlternatives(schema: Schema): Schema {
  const { anyOf, description, ...object } = schema;
  const properties = (object.properties ?? {}) as Readonly<Record<string, Schema>>;
  const isRequirement = (each: Schema) => Array.isArray(each.required) && Object.keys(each).length === 1;
  if (object.type !== 'object' || !Array.isArray(anyOf) || !anyOf.every(isRequirement)) return schema;
  const alternatives = (anyOf as { readonly required: readonly string[] }[]).map(({ required }) => ({
    type: 'object',
    required,
    properties: Object.fromEntries(required.map((name) => [name, properties[name]])),
  }));
  return { ...(description !== undefined && { description }), allOf: [object, { anyOf: alternatives }] };
}
