import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { loginPolicyOperations } from './docs.js';
import { loginPolicyParameterTable } from './parameters.js';
import { type LoginPolicyDependencies, loginPolicyRoutes } from './routes.js';
import { type SignInPolicyDependencies, signInPolicy } from './sign-in-policy.js';

export { openPolicies } from './policies.js';
export { type ShownLock, showLock } from './shown-lock.js';
export { deviceToken, terminalOf } from './terminals.js';
export { type UnlockRequest, unlock } from './unlock.js';
export { serveUnlock } from './unlock-channel.js';

const permissions = definePermissions({
  title: { en: 'Sign-in protection', 'zh-CN': '登录保护' },
  permissions: {
    'api:admin:auth:clearLoginLimit': { en: 'Clear the login limits of a user', 'zh-CN': '清除用户的登录限制' },
    'api:admin:auth:clearAddressLimit': { en: 'Clear the login limits of an address', 'zh-CN': '清除地址的登录限制' },
    'api:admin:login-policy:explain': { en: 'See why a sign-in is refused', 'zh-CN': '查看登录被拒绝的原因' },
  },
});

export const loginPolicy = defineModule({
  name: 'login-policy',
  permissions,
  parameters: [loginPolicyParameterTable],
  // In the session store, which all nodes share. Failures counted in memory would be lost on every restart (LP-52).
  async prepare(app, { config, stores, ...accounts }: LoginPolicyDependencies & SignInPolicyDependencies) {
    await app.register(signInPolicy, { config, store: stores.sessions, accounts });
  },
  operations: loginPolicyOperations,
  routes: loginPolicyRoutes,
});
