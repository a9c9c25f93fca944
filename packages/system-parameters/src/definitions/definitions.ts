import type { ParameterGroup, ParameterUnit } from './definition-texts.js';

/** The members that every definition has. */
interface DefinitionBase {
  /** The name on the wire and in the table: lower-case words joined by `.` and `-`, at most 100 characters. */
  readonly key: string;
  /** For administrators, in English: what it does. */
  readonly description: string;
  /** The same in other languages, by their tags, such as `zh-CN`. Default none. */
  readonly translations?: Readonly<Record<string, string>>;
  /** Under which heading a page shows it. Default none. */
  readonly group?: ParameterGroup;
  /** Whether anybody may read it without signing in. */
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
  /** A sentence that says what is wrong with a value, or null. */
  readonly check?: (value: string) => string | null;
}

/** A whole number: of 32 bits (INTEGER), or a safe integer (LONG). */
export interface NumberDefinition extends DefinitionBase {
  readonly type: 'INTEGER' | 'LONG';
  readonly default: number;
  /** The value in force while the stored one can't be used. Default: `default`. */
  readonly fallback?: number;
  /** Default: the least of the type. */
  readonly minimum?: number;
  /** Default: the greatest of the type. */
  readonly maximum?: number;
  /** What the number counts or measures, one of `PARAMETER_UNITS`. Default none. */
  readonly unit?: ParameterUnit;
}

/** A switch. One that turns a protection on wants `fallback: true`, so that a corrupt row can't turn it off. */
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

/** A change that is valid and not yet made. */
export interface ParameterProposal<Definitions extends ParameterDefinitions = ParameterDefinitions> {
  readonly key: string;
  readonly oldValue: ParameterValue;
  readonly newValue: ParameterValue;
  /** All values of the table after the change. */
  readonly values: ParameterValues<Definitions>;
}

/** Who changes a parameter. */
export interface ChangeContext<Request = unknown> {
  readonly changedBy: string;
  /** The request that asked for the change, if there is one. */
  readonly request?: Request | undefined;
}

/** Definitions, and what must hold for their values together. */
export interface ParameterTable<Definitions extends ParameterDefinitions = ParameterDefinitions, Request = unknown> {
  readonly definitions: Definitions;
  /** Sentences that say what is wrong with the values together; none if they fit. */
  rules?(values: ParameterValues<Definitions>): readonly string[];
  /**
   * A sentence that says why this change needs `confirm: true`, or null. Called before the write, and not for a change
   * that is already confirmed. Called again if another change was made in between.
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
