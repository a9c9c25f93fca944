import { unknownNameFaults } from './unknown-names.js';

/** The rule of an option. Make one by the functions of this file, or by {@link option} for a rule of your own. */
export interface OptionRule<Value> {
  /** Completes the sentence «NAME must be …». */
  readonly meaning: string;
  /** Whether the option is required. It then has no default. */
  readonly isRequired: boolean;
  /** The value if the option is not given. */
  readonly defaultValue: Value | undefined;
  /**
   * The names of the members, if the option is a group. By them, a member that is given outside the group is
   * recognised.
   */
  readonly members?: readonly string[];
  /** The faults of a given value, as sentences that begin with `name`. They never repeat the value. */
  faults(value: unknown, name: string): readonly string[];
  /** Converts a value without faults. */
  read(value: unknown): Value;
}

/** A rule for each option. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: OptionRule<Options[Name]> };

/** The default of an option. Without `default` the option is required. */
export interface Default<Value> {
  readonly default?: Value;
}

interface OwnRule<Value> extends Default<Value> {
  /** Completes the sentence «NAME must be …». */
  readonly meaning: string;
  /** The names of the members, if it is an object of options. */
  readonly members?: readonly string[];
  /** Whether the value is accepted. */
  readonly accepts?: (value: unknown) => boolean;
  /** Faults of a value that `accepts` takes, as sentences that begin with the name. */
  readonly faults?: (value: never, name: string) => readonly string[];
  /** Converts a value without faults. Default: the value itself. */
  readonly read?: (value: never) => Value;
}

/** A rule of your own. */
export function option<Value>(rule: OwnRule<Value>): OptionRule<Value> {
  const { meaning, members = [], accepts = () => true, faults = () => [], read } = rule;
  return {
    meaning,
    members,
    isRequired: !Object.hasOwn(rule, 'default'),
    defaultValue: rule.default,
    faults: (value, name) =>
      accepts(value) ? faults(value as never, name) : [`${name} must be ${meaning}${promiseHint(value)}`],
    read: (value) => (read === undefined ? (value as Value) : read(value as never)),
  };
}

/** An option that an async function returns is often given without `await`. */
function promiseHint(value: unknown): string {
  return isObject(value) && isFunction(Reflect.get(value, 'then')) ? '; it is a promise: write `await` before it' : '';
}

/** Accepts any value, or none. For a member of an argument that a client writes and that the call itself checks. */
export function anything(): OptionRule<unknown> {
  return option<unknown>({ meaning: 'anything', default: undefined });
}

/** The same option, but optional and without a default. It is undefined if it is not given. */
export function optional<Value>(rule: OptionRule<Value>): OptionRule<Value | undefined> {
  return { ...rule, isRequired: false, defaultValue: undefined };
}

/** The same option, but it may be null, which is its default. */
export function nullable<Value>(rule: OptionRule<Value>): OptionRule<Value | null> {
  return {
    ...rule,
    isRequired: false,
    defaultValue: null,
    faults: (value, name) => (value === null ? [] : rule.faults(value, name)),
    read: (value) => (value === null ? null : rule.read(value)),
  };
}

interface WholeNumberRule extends Default<number> {
  readonly min: number;
  readonly max: number;
  /** In the plural: `seconds`, `bytes`. Default: a bare number. */
  readonly unit?: string;
}

/** A safe integer between bounds, both included. */
export function wholeNumber(rule: WholeNumberRule): OptionRule<number> {
  const { min, max, unit, ...rest } = rule;
  return option<number>({
    ...rest,
    meaning: `a whole number${unit === undefined ? '' : ` of ${unit}`} from ${min} to ${max}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  });
}

/** True or false. Values that are only truthy or falsy are refused. */
export function flag(rule: Default<boolean> = {}): OptionRule<boolean> {
  return option<boolean>({ ...rule, meaning: 'true or false', accepts: (value) => typeof value === 'boolean' });
}

/** One of some texts. */
export function oneOf<Value extends string>(values: readonly Value[], rule: Default<Value> = {}): OptionRule<Value> {
  const quoted = values.map((value) => `'${value}'`);
  const meaning = quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return option<Value>({ ...rule, meaning, accepts: (value) => values.includes(value as Value) });
}

interface TextRule extends Default<string> {
  /** In UTF-16 code units. Default 1. */
  readonly minLength?: number;
  readonly maxLength: number;
  /** The meaning, for the message: `the name of this deployment`. */
  readonly what?: string;
}

/** A text of bounded length. */
export function text(rule: TextRule): OptionRule<string> {
  const { minLength = 1, maxLength, what = 'a text', ...rest } = rule;
  return option<string>({
    ...rest,
    meaning: `${what}, ${minLength} to ${maxLength} characters`,
    accepts: (value) => typeof value === 'string' && value.length >= minLength && value.length <= maxLength,
  });
}

interface FunctionRule<Value> extends Default<Value> {
  /** Completes «a function that …». */
  readonly that: string;
}

/** A function. Its arguments and its result can't be checked before it is called. */
export function callback<Value>(rule: FunctionRule<Value>): OptionRule<Value> {
  const { that, ...rest } = rule;
  return option<Value>({ ...rest, meaning: `a function that ${that}`, accepts: isFunction });
}

interface ObjectRule<Value> extends Default<Value> {
  /** The required methods. */
  readonly methods: readonly string[];
  /** Completes «NAME must be …»: `a store with setIfAbsent, such as one of @sallyport/ttl-store`. */
  readonly meaning: string;
}

/** An object from another package, recognised by its methods: a store, a sink, a client. */
export function objectWith<Value>(rule: ObjectRule<Value>): OptionRule<Value> {
  const { methods, ...rest } = rule;
  return option<Value>({ ...rest, accepts: (value) => hasMethods(value, methods) });
}

/** Whether the value is an object with these methods, its own or inherited. */
export function hasMethods(value: unknown, methods: readonly string[]): boolean {
  return isObject(value) && methods.every((method) => isFunction(Reflect.get(value, method)));
}

/** A list whose items all follow a rule. */
export function listOf<Item>(
  isItem: (item: unknown) => boolean,
  rule: Default<readonly Item[]> & { readonly meaning: string; readonly minItems?: number },
): OptionRule<readonly Item[]> {
  const { minItems = 0, ...rest } = rule;
  return option<readonly Item[]>({
    ...rest,
    accepts: (value) => Array.isArray(value) && value.length >= minItems && value.every(isItem),
    read: (value: readonly Item[]) => [...value],
  });
}

/** An object of options. Missing members get their own defaults. Unknown names are faults. */
export function group<Members extends object>(rules: OptionRules<Members>): OptionRule<Members> {
  return option<Members>({
    meaning: 'an object of options',
    members: Object.keys(rules),
    default: readMembers({}, rules).members,
    accepts: isObject,
    faults: (value: object, name: string) => readMembers(value, rules, `${name}.`).faults,
    read: (value: object) => readMembers(value, rules).members,
  });
}

/**
 * Every member with its given value or its default. A member with a fault is left out.
 *
 * @param path is put before the names in the faults
 * @param alsoKnown names that are no faults, and not read
 */
export function readMembers<Members extends object>(
  given: object,
  rules: OptionRules<Members>,
  path = '',
  alsoKnown: readonly string[] = [],
): { readonly members: Members; readonly faults: readonly string[] } {
  const members: [string, unknown][] = [];
  const nested = Object.entries<OptionRule<unknown>>(rules).flatMap(([name, rule]) =>
    (rule.members ?? []).map((member) => `${name}.${member}`),
  );
  const faults = [...unknownNameFaults(Object.keys(given), Object.keys(rules), { path, alsoKnown, nested })];
  for (const [name, rule] of Object.entries<OptionRule<unknown>>(rules)) {
    const value: unknown = Reflect.get(given, name);
    // An option with the value undefined counts as not given, because configuration objects are often built that way.
    if (value === undefined) {
      members.push([name, rule.defaultValue]);
      if (rule.isRequired) faults.push(`${path}${name} is required: ${rule.meaning}`);
      continue;
    }
    const own = rule.faults(value, path + name);
    if (own.length === 0) members.push([name, rule.read(value)]);
    faults.push(...own);
  }
  return { members: Object.fromEntries(members) as Members, faults };
}

/** Whether the value is an object other than a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether all that the object holds are members of its own. A `Headers` or a `Map` keeps its entries elsewhere. */
export function holdsMembers(value: unknown): value is object {
  return isObject(value) && (Object.keys(value).length > 0 || isPlain(value));
}

function isPlain(value: object): boolean {
  return [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
