import { passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

const { group } = passwordRuleParameters.minLength;

/** Ten years. */
const MAX_DAYS = 3650;
const days = {
  type: 'LONG',
  default: 0,
  // As in the statements: the rule was meant to be on. Sign-ins go on being noted.
  fallback: 1,
  minimum: 0,
  maximum: MAX_DAYS,
  unit: 'days',
  isPublic: false,
  group,
} as const;

/** PWD-7. Off by default. */
export const inactivityParameters = {
  admin: {
    key: 'admin.auth.inactive-days',
    ...days,
    description:
      'Days without a sign-in after which an administrator is refused until somebody enables the account, counted from the last change of this value at the earliest; 0: never',
    translations: {
      'zh-CN': '管理员连续未登录达到此天数后不能登录，须由他人启用账号；最早自本参数最近一次修改起计算；0 表示不限',
    },
  },
  app: {
    key: 'app.auth.inactive-days',
    ...days,
    description:
      'Days without a sign-in after which an app user is refused until somebody enables the account, counted from the last change of this value at the earliest; 0: never',
    translations: {
      'zh-CN': 'App 用户连续未登录达到此天数后不能登录，须由他人启用账号；最早自本参数最近一次修改起计算；0 表示不限',
    },
  },
} as const;

export const inactivityParameterTable = defineParameterTable<typeof inactivityParameters, FastifyRequest>({
  definitions: inactivityParameters,
});
