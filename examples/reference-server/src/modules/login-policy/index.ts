import { defineModule } from '../../http/module.js';
import { loginPolicyOperations } from './docs.js';
import { loginPolicyParameterTable } from './parameters.js';
import { loginPolicyPermissions } from './permissions.js';
import { type LoginPolicyDependencies, loginPolicyRoutes } from './routes.js';
import { type SignInPolicyDependencies, signInPolicy } from './sign-in-policy.js';

export { openPolicies } from './policies.js';
export { deviceToken, terminalOf } from './terminals.js';
export { type UnlockRequest, unlock } from './unlock.js';
export { serveUnlock } from './unlock-channel.js';

export const loginPolicy = defineModule({
  name: 'login-policy',
  permissions: loginPolicyPermissions,
  parameters: [loginPolicyParameterTable],
  // In the session store, which all nodes share. Failures counted in memory would be lost on every restart (LP-52).
  async prepare(app, { config, stores }: LoginPolicyDependencies & SignInPolicyDependencies) {
    await app.register(signInPolicy, { config, store: stores.sessions });
  },
  operations: loginPolicyOperations,
  routes: loginPolicyRoutes,
});
