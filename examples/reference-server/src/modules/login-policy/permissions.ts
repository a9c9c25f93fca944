import { definePermissions } from '../../http/permission-group.js';

export const loginPolicyPermissions = definePermissions({
  title: { en: 'Sign-in protection', 'zh-CN': '登录保护' },
  permissions: {
    'api:admin:auth:clearLoginLimit': { en: 'Clear the login limits of a user', 'zh-CN': '清除用户的登录限制' },
    'api:admin:auth:clearAddressLimit': { en: 'Clear the login limits of an address', 'zh-CN': '清除地址的登录限制' },
    'api:admin:login-policy:explain': { en: 'See why a sign-in is refused', 'zh-CN': '查看登录被拒绝的原因' },
  },
});
