import { isSlipOf } from './closest-name.js';
import { isObject, type OptionRule } from './rules.js';
import { unknownNameFaults } from './unknown-names.js';

/** A rule for each member of an argument. */
export type ArgumentRules = Readonly<Record<string, Pick<OptionRule<unknown>, 'isRequired' | 'meaning' | 'faults'>>>;

/** Settings of {@link argumentCheck}. */
export interface ArgumentCheckSettings {
  /**
   * The name of the argument, for a call with several arguments. It precedes the names of the members. Default: none.
   */
  readonly argument?: string;
  /**
   * Whether callers may add members of their own. Then a name is refused only if it is within two letters of an absent
   * member; case is ignored. Default false: every unknown name is refused.
   */
  readonly isOpen?: boolean;
}

/**
 * Makes the check of one argument of a public call, which is an object. Make it once, outside the call: a check of a
 * right argument costs about a microsecond.
 *
 * The check throws a TypeError that names the call and every fault: an argument that is no object, unknown names with
 * the nearest known one, missing members, bad values. These are mistakes of the calling program. For a member that a
 * client writes, use the rule {@link anything}, and check its value in the call.
 *
 * @param call the function, as the message names it: `loginPolicy.clear`
 */
export function argumentCheck(
  call: string,
  rules: ArgumentRules,
  { argument, isOpen = false }: ArgumentCheckSettings = {},
): (given: unknown) => void {
  const known = Object.keys(rules);
  const entries = Object.entries(rules);
  const path = argument === undefined ? '' : `${argument}.`;

  function unknownNames(given: object): readonly string[] {
    const others = Object.keys(given).filter((name) => !known.includes(name));
    if (others.length === 0) return others;
    if (!isOpen) return unknownNameFaults(others, known, { path });
    const absent = known.filter((name) => Reflect.get(given, name) === undefined);
    return unknownNameFaults(
      others.filter((name) => absent.some((each) => isSlipOf(name, each))),
      absent,
      { path },
    );
  }

  return function checkArgument(given) {
    if (!isObject(given)) {
      throw new TypeError(`${call}: ${argument ?? 'the argument'} must be an object with ${known.join(', ')}`);
    }
    const faults = [...unknownNames(given)];
    for (const [name, rule] of entries) {
      const value: unknown = Reflect.get(given, name);
      if (value !== undefined) faults.push(...rule.faults(value, path + name));
      else if (rule.isRequired) faults.push(`${path}${name} is required: ${rule.meaning}`);
    }
    if (faults.length > 0) throw new TypeError(`${call}: ${faults.join('; and ')}`);
  };
}
