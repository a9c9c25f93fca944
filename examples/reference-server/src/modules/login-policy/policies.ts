import { createLoginAttempts, type LoginPolicy, type LoginPolicyOptions } from '@sallyport/login-policy';
import type { Policies, TerminalSettings } from './terminals.js';

interface PolicyDependencies {
  readonly config: TerminalSettings;
  readonly store: LoginPolicyOptions['store'];
  readonly readPolicy: () => Promise<LoginPolicy>;
}

/**
 * The options of both policies. They have one store and one prefix, so failures of one address count together for both
 * audiences.
 */
export function policyOptions({ config, store, readPolicy }: PolicyDependencies) {
  return {
    admin: { store, policy: readPolicy, terminals: config['admin.auth.terminals'], audience: 'admin' },
    app: {
      store,
      terminals: config['app.auth.terminals'],
      audience: 'app',
      // The whitelist applies to administrators only.
      policy: async () => ({ ...(await readPolicy()), ipWhitelistEnabled: false }),
    },
  } as const satisfies Record<keyof Policies, LoginPolicyOptions>;
}

/** Both policies without a server, for commands. */
export function openPolicies(dependencies: PolicyDependencies): Policies {
  const { admin, app } = policyOptions(dependencies);
  return { admin: createLoginAttempts(admin), app: createLoginAttempts(app) };
}
