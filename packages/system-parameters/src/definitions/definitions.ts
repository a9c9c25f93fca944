import type { ParameterGroup, ParameterUnit } from './definition-texts.js';

/** The members of every definition. */
interface DefinitionBase {
  /** The name on the wire and in the table: lower-case words joined by `.` and `-`, at most 100 characters. */
  readonly key: string;
  /** The effect of the parameter, in English, for administrators. */
  readonly description: string;
  /** The description in other languages, by their tags, such as `zh-CN`. Default none. */
  readonly translations?: Readonly<Record<string, string>>;
  /** The group in which a page shows the parameter. Default none. */
  readonly group?: ParameterGroup;
  /** Whether the value may be read without signing in. */
  readonly isPublic: boolean;
}

/** A text. */
export interface StringDefinition extends DefinitionBase {
  readonly type: 'STRING';
  readonly default: string;
  /** The value in force while the stored one can't be used. Default: `default`. */
  readonly fallback?: string;
  /** The longest value, in UTF-16 code units, 1 to 100 000. Default 4000. */
  readonly maxLength?: number;
  /** The only values that it may have, such as `['OFF', 'ON']`. A page offers them for choice. Default: any text. */
  readonly values?: readonly string[];
  /** A sentence about the fault of a value, or null. */
  readonly check?: (value: string) => string | null;
}

/** A whole number of 32 bits (INTEGER), or a safe integer (LONG). */
export interface NumberDefinition extends DefinitionBase {
  readonly type: 'INTEGER' | 'LONG';
  readonly default: number;
  /** The value in force while the stored one can't be used. Default: `default`. */
  readonly fallback?: number;
  /** Default: the smallest value of the type. */
  readonly minimum?: number;
  /** Default: the largest value of the type. */
  readonly maximum?: number;
  /** The unit of the number, one of `PARAMETER_UNITS`. Default none. */
  readonly unit?: ParameterUnit;
}

/**
 * A switch. A switch that turns a protection on should have `fallback: true`, so that a corrupt row can't turn it off.
 */
export interface BooleanDefinition extends DefinitionBase {
  readonly type: 'BOOLEAN';
  readonly default: boolean;
  /** The value in force while the stored one can't be used. Default: `default`. */
  readonly fallback?: boolean;
}

/** One system parameter, as plain data. */
export type ParameterDefinition = StringDefinition | NumberDefinition | BooleanDefinition;

/** Definitions by the property names of their values. */
export type ParameterDefinitions = Readonly<Record<string, ParameterDefinition>>;

interface DefinitionOfType {
  readonly STRING: StringDefinition;
  readonly INTEGER: NumberDefinition;
  readonly LONG: NumberDefinition;
  readonly BOOLEAN: BooleanDefinition;
}

/** The same definitions, with `never` for every member that their types don't have. */
type KnownMembersOf<Definitions extends ParameterDefinitions> = {
  readonly [Name in keyof Definitions]: {
    readonly [Member in keyof Definitions[Name]]: Member extends keyof DefinitionOfType[Definitions[Name]['type']]
      ? Definitions[Name][Member]
      : never;
  };
};

interface ValueOfType {
  readonly STRING: string;
  readonly INTEGER: number;
  readonly LONG: number;
  readonly BOOLEAN: boolean;
}

export type ParameterType = keyof ValueOfType;

export type ParameterValue = ValueOfType[ParameterType];

/** The values of a table of definitions, typed by them. */
export type ParameterValues<Definitions extends ParameterDefinitions> = {
  readonly [Name in keyof Definitions]: ValueOfType[Definitions[Name]['type']];
};

/** A change that is valid but not yet made. */
export interface ParameterProposal<Definitions extends ParameterDefinitions = ParameterDefinitions> {
  readonly key: string;
  readonly oldValue: ParameterValue;
  readonly newValue: ParameterValue;
  /** All values of the table after the change. */
  readonly values: ParameterValues<Definitions>;
}

/** The author of a change. */
export interface ChangeContext<Request = unknown> {
  readonly changedBy: string;
  /** The request for the change, if there is one. */
  readonly request?: Request | undefined;
}

/** Definitions, and the rules for their values together. */
export interface ParameterTable<Definitions extends ParameterDefinitions = ParameterDefinitions, Request = unknown> {
  readonly definitions: Definitions;
  /** Sentences about faults of the values together. Empty if there are none. */
  rules?(values: ParameterValues<Definitions>): readonly string[];
  /**
   * A sentence with the reason why this change needs `confirm: true`, or null. Called before the write, but not for a
   * confirmed change. Called again if another change was made in between.
   */
  guard?(
    proposal: ParameterProposal<Definitions>,
    context: ChangeContext<Request>,
  ): string | null | Promise<string | null>;
}

/**
 * Returns the definitions unchanged. TypeScript keeps their types, so that their values are typed without `as const`,
 * and refuses a misspelt member.
 *
 * @example
 * ```ts
 * const definitions = defineParameters({
 *   opens: { key: 'shop.opens', type: 'INTEGER', default: 8, isPublic: true, description: 'The hour of opening' },
 *   closes: { key: 'shop.closes', type: 'INTEGER', default: 20, isPublic: true, description: 'The hour of closing' },
 * });
 * ```
 */
export function defineParameters<const Definitions extends ParameterDefinitions>(
  definitions: Definitions & KnownMembersOf<Definitions>,
): Definitions {
  return definitions;
}

/**
 * Returns the table unchanged. TypeScript types the arguments of `rules` and `guard` by the definitions.
 *
 * @example
 * ```ts
 * const table = defineParameterTable({
 *   definitions,
 *   rules: ({ opens, closes }) => (opens < closes ? [] : ['the shop must open before it closes']),
 * });
 * ```
 */
export function defineParameterTable<const Definitions extends ParameterDefinitions, Request = unknown>(
  table: ParameterTable<Definitions, Request>,
): ParameterTable<Definitions, Request> {
  return table;
}
