import { LoginPolicyUnavailableError } from '../errors.js';
import { createIpWhitelist, type IpWhitelist } from './ip-whitelist.js';
import { loginPolicyParameters } from './parameters.js';

/** The values of {@link loginPolicyParameters}; each has the unit, range and default that stand there. */
export interface LoginPolicy {
  /** How long failures are counted together, from the first on, in seconds. Default 600; 1 to 86 400. Requirement LGN-2. */
  readonly failureWindowSeconds: number;
  /** How many failures begin the lock. Default 5; 1 to 100. Requirement LGN-2. */
  readonly failureCount: number;
  /** How long the lock lasts, in seconds. Default 600; 1 to 86 400. Requirement LGN-2. */
  readonly lockSeconds: number;
  /** Whether `failureCount` counts by name, terminal and address, or by name and terminal. Default true. Requirement LGN-6. */
  readonly failureIncludeIpEnabled: boolean;
  /** Whether only whitelisted addresses may sign in. Default false. Requirement LGN-8. */
  readonly ipWhitelistEnabled: boolean;
  /** Addresses and CIDR ranges, separated by commas. Default '': nobody, while the whitelist is enabled. Requirement LGN-8. */
  readonly ipWhitelistValues: string;
  /** How many failures on one name and terminal begin a lock for all addresses. Default 20; 0 (off) to 100. Requirement LGN-6. */
  readonly accountFailureCount: number;
  /** How many failures from one address begin a lock for all names. Default 100; 0 (off) to 10 000. Requirement LGN-6. */
  readonly ipFailureCount: number;
}

/** A policy that was read and holds nothing that would not protect. */
export interface CheckedPolicy extends LoginPolicy {
  readonly admits: IpWhitelist;
}

/** What of a definition a value is checked by. */
interface Definition {
  readonly type: 'LONG' | 'BOOLEAN' | 'STRING';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly check?: (value: string) => string | null;
}

const definitions: Readonly<Record<keyof LoginPolicy, Definition>> = loginPolicyParameters;
const names = Object.keys(definitions) as (keyof LoginPolicy)[];

/** The defaults of {@link LoginPolicy}: those of its parameters. */
export const LOGIN_POLICY_DEFAULTS: LoginPolicy = Object.freeze(
  Object.fromEntries(names.map((name) => [name, loginPolicyParameters[name].default])) as unknown as LoginPolicy,
);

/** What is wrong with the values of a policy, one sentence for each fault. None may be missing. Requirement LGN-1. */
export function loginPolicyFaults(values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return ['policy must be an object'];
  return names.flatMap((name) => {
    const fault = valueFault(definitions[name], Reflect.get(values, name));
    return fault === null ? [] : [`policy.${name} must be ${fault}`];
  });
}

function valueFault({ type, minimum = 0, maximum = 0, check }: Definition, value: unknown): string | null {
  switch (type) {
    case 'LONG': {
      const isRight = typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum;
      return isRight ? null : `a whole number from ${minimum} to ${maximum}`;
    }
    case 'BOOLEAN':
      return typeof value === 'boolean' ? null : 'true or false';
    case 'STRING':
      return typeof value === 'string' ? (check?.(value) ?? null) : 'a text';
  }
}

/**
 * Yields the function that reads the policy of each attempt. What is no right policy refuses the attempt: a default in
 * its place would be somebody else's policy, and no policy would be none.
 */
export function createPolicyReader(
  policy: LoginPolicy | (() => LoginPolicy | Promise<LoginPolicy>),
): () => Promise<CheckedPolicy> {
  const ask = typeof policy === 'function' ? policy : () => policy;
  let last: { readonly text: string; readonly admits: IpWhitelist } = { text: '', admits: createIpWhitelist('') };

  return async function readPolicy() {
    const values = await askOrRefuse(ask);
    if (values.ipWhitelistValues !== last.text) {
      last = { text: values.ipWhitelistValues, admits: createIpWhitelist(values.ipWhitelistValues) };
    }
    return { ...values, admits: last.admits };
  };
}

async function askOrRefuse(ask: () => LoginPolicy | Promise<LoginPolicy>): Promise<LoginPolicy> {
  let values: LoginPolicy;
  try {
    values = await ask();
  } catch (cause) {
    throw new LoginPolicyUnavailableError({ cause });
  }
  const faults = loginPolicyFaults(values);
  if (faults.length > 0) throw new LoginPolicyUnavailableError({ cause: new TypeError(faults.join('; ')) });
  return values;
}
