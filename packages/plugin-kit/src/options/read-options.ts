import { isObject, type OptionRules, readMembers } from './rules.js';
import type { SetupErrorClass } from './setup-error.js';

/** The owner of the options. */
export interface OptionsOwner {
  /** The name of the subject in messages: `replay-guard`, `createMemoryStore`. */
  readonly subject: string;
  /** The class of the error. */
  readonly SetupError: SetupErrorClass;
  /** Whether the owner is a Fastify plugin, whose options may also hold those of `register`. Default false. */
  readonly isPlugin?: boolean;
}

/** The options that `register` of Fastify takes in addition to a plugin's own. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers'];

/**
 * Returns the options with all defaults. An option with the value undefined counts as not given.
 *
 * @param given the options as they were given; undefined counts as no options
 * @param rules a rule for each option
 * @param relations returns faults between options. It sees only options without a fault of their own
 *
 * @example
 * ```ts
 * class GuardSetupError extends SetupError {
 *   constructor(subject: string, faults: readonly string[]) {
 *     super('GUARD_SETUP_INVALID', subject, faults);
 *   }
 * }
 * export const owner = { subject: 'guard', SetupError: GuardSetupError, isPlugin: true };
 * const rules = { apiKey: text({ minLength: 8, maxLength: 100 }) };
 *
 * export const readGuardOptions = (given: { apiKey: string }) => readOptions(owner, given, rules);
 * ```
 *
 * @throws the owner's setup error, with every fault: unknown names with the nearest known one, missing options, bad
 * values
 */
export function readOptions<Options extends object>(
  { subject, SetupError, isPlugin = false }: OptionsOwner,
  given: unknown,
  rules: OptionRules<Options>,
  relations: (options: Partial<Options>) => readonly string[] = () => [],
): Options {
  const source = given ?? {};
  if (!isObject(source)) throw new SetupError(subject, ['the options must be an object']);
  const { members, faults: own } = readMembers(source, rules, '', isPlugin ? REGISTER_OPTIONS : []);
  const faults = [...own, ...relations(members)];
  if (faults.length > 0) throw new SetupError(subject, faults);
  return members;
}
