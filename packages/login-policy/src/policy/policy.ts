import { flag, group, type OptionRule, type OptionRules, option, wholeNumber } from '@sallyport/plugin-kit/options';
import { LoginPolicyUnavailableError } from '../errors.js';
import { createIpWhitelist, type IpWhitelist } from './ip-whitelist.js';
import { loginPolicyParameters } from './parameters.js';

/** The values of {@link loginPolicyParameters}, which have the units, ranges and defaults. */
export interface LoginPolicy {
  /** How long failures are counted together, from the first one, in seconds, 1 to 86 400. Default 600. */
  readonly failureWindowSeconds: number;
  /** How many failures begin the lock, 1 to 100. Default 5. */
  readonly failureCount: number;
  /** How long the lock lasts, in seconds, 1 to 86 400. Default 600. */
  readonly lockSeconds: number;
  /** True: `failureCount` counts by name, terminal and address; false: by name and terminal. Default true. */
  readonly failureIncludeIpEnabled: boolean;
  /** Whether only whitelisted addresses may sign in. Default false. */
  readonly ipWhitelistEnabled: boolean;
  /** Addresses and CIDR ranges, separated by commas. Default '': nobody, if the whitelist is on. */
  readonly ipWhitelistValues: string;
  /** How many failures on one name and terminal begin a lock for all addresses, 0 (off) to 100. Default 20. */
  readonly accountFailureCount: number;
  /** How many failures from one address begin a lock for all names, 0 (off) to 10 000. Default 100. */
  readonly ipFailureCount: number;
}

/** A validated policy, with its whitelist parsed. */
export interface ValidPolicy extends LoginPolicy {
  readonly admits: IpWhitelist;
}

/** The members of a parameter's definition that are used to check a value. */
interface Definition {
  readonly type: 'LONG' | 'BOOLEAN' | 'STRING';
  readonly default: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly check?: (value: string) => string | null;
}

const definitions: Readonly<Record<keyof LoginPolicy, Definition>> = loginPolicyParameters;
const names = Object.keys(definitions) as (keyof LoginPolicy)[];

const rules = Object.fromEntries(
  names.map((name) => [name, ruleOf(definitions[name])]),
) as unknown as OptionRules<LoginPolicy>;

function ruleOf(definition: Definition): OptionRule<number> | OptionRule<boolean> | OptionRule<string> {
  const { type, minimum = 0, maximum = 0, maxLength = 0, check = () => null } = definition;
  switch (type) {
    case 'LONG':
      return wholeNumber({ min: minimum, max: maximum, default: definition.default as number });
    case 'BOOLEAN':
      return flag({ default: definition.default as boolean });
    case 'STRING':
      return option<string>({
        meaning: `a text of at most ${maxLength} characters`,
        accepts: (value) => typeof value === 'string' && value.length <= maxLength,
        faults(value: string, name) {
          const fault = check(value);
          return fault === null ? [] : [`${name}: ${fault}`];
        },
        default: definition.default as string,
      });
  }
}

/** The rule of a policy in which values may be missing. */
export const policyRule: OptionRule<LoginPolicy> = group(rules);

/** The defaults of {@link LoginPolicy}: those of its parameters. */
export const LOGIN_POLICY_DEFAULTS: LoginPolicy = Object.freeze(policyRule.read({}));

/** The faults of a complete policy, one sentence each. */
export function loginPolicyFaults(values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return ['policy must be an object'];
  return names.flatMap((name) => rules[name].faults(Reflect.get(values, name), `policy.${name}`));
}

/**
 * Returns the function that reads the policy of each attempt. A bad policy refuses the attempt: it is never replaced by
 * the defaults. The values are checked when they change.
 */
export function createPolicyReader(
  policy: LoginPolicy | (() => LoginPolicy | Promise<LoginPolicy>),
): () => Promise<ValidPolicy> {
  const ask = typeof policy === 'function' ? policy : () => policy;
  let last: ValidPolicy | null = null;

  return async function readPolicy() {
    let values: LoginPolicy;
    try {
      values = await ask();
    } catch (cause) {
      throw new LoginPolicyUnavailableError({ cause });
    }
    if (last === null || !hasValuesOf(last, values)) {
      const faults = loginPolicyFaults(values);
      if (faults.length > 0) throw new LoginPolicyUnavailableError({ cause: new TypeError(faults.join('; ')) });
      last = { ...values, admits: createIpWhitelist(values.ipWhitelistValues) };
    }
    return last;
  };
}

function hasValuesOf(policy: LoginPolicy, values: unknown): boolean {
  if (typeof values !== 'object' || values === null) return false;
  return names.every((name) => Reflect.get(values, name) === policy[name]);
}
