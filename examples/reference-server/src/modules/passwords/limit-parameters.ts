import { passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const { group } = passwordRuleParameters.minLength;

/** Ten years. A longer age is none. */
const MAX_DAYS = 3650;

/** Each hash of the history is compared in the password workers, one after the other. */
const MAX_HISTORY = 24;

const days = { type: 'LONG', default: 0, minimum: 0, maximum: MAX_DAYS, unit: 'days', isPublic: false, group } as const;
const history = {
  type: 'LONG',
  default: 0,
  minimum: 0,
  maximum: MAX_HISTORY,
  unit: 'count',
  isPublic: false,
  group,
} as const;

/** PWD-7. All are off by default. Read for every request of a session, so a change holds for existing sessions. */
export const passwordLimitParameters = {
  adminMaxAgeDays: {
    key: 'admin.auth.password.max-age-days',
    ...days,
    description: 'Days after which administrators have to change their password; 0: never',
    translations: { 'zh-CN': '管理员密码的最长使用天数，到期须修改；0 表示不限' },
  },
  adminHistoryCount: {
    key: 'admin.auth.password.history-count',
    ...history,
    description:
      'Number of latest passwords of an administrator, with the present one, that a new one must not equal; 0: any earlier one may come back',
    translations: { 'zh-CN': '管理员新密码不得与最近若干次使用的密码（含当前密码）相同；0 表示允许重用以前的密码' },
  },
  forceFirstChange: {
    key: 'admin.auth.password.force-first-change',
    type: 'BOOLEAN',
    default: false,
    // Used while the stored value is unusable.
    fallback: true,
    isPublic: false,
    description: 'Administrators have to change a password that somebody else has set before they can do anything else',
    translations: { 'zh-CN': '由他人设置的管理员密码须先由本人修改，之后才能进行其他操作' },
    group,
  },
  appMaxAgeDays: {
    key: 'app.auth.password.max-age-days',
    ...days,
    description: 'Days after which app users have to change their password; 0: never',
    translations: { 'zh-CN': 'App 用户密码的最长使用天数，到期须修改；0 表示不限' },
  },
  appHistoryCount: {
    key: 'app.auth.password.history-count',
    ...history,
    description:
      'Number of latest passwords of an app user, with the present one, that a new one must not equal; 0: any earlier one may come back',
    translations: { 'zh-CN': 'App 用户新密码不得与最近若干次使用的密码（含当前密码）相同；0 表示允许重用以前的密码' },
  },
} as const;

export type PasswordLimits = ParameterValues<typeof passwordLimitParameters>;

export const passwordLimitParameterTable = defineParameterTable<typeof passwordLimitParameters, FastifyRequest>({
  definitions: passwordLimitParameters,
});

/** The current values. */
export function readPasswordLimits({
  systemParameters,
}: Pick<FastifyInstance, 'systemParameters'>): Promise<PasswordLimits> {
  return systemParameters.read(passwordLimitParameters);
}

/**
 * The number of latest passwords that a new one of an administrator must not equal, where the old one is not given.
 * While passwords age, the present one is among them: set again, it would begin a new time.
 */
export function adminRefusedCount({ adminHistoryCount, adminMaxAgeDays }: PasswordLimits): number {
  return Math.max(adminHistoryCount, adminMaxAgeDays > 0 ? 1 : 0);
}

/** The same for app users. */
export function appRefusedCount({ appHistoryCount, appMaxAgeDays }: PasswordLimits): number {
  return Math.max(appHistoryCount, appMaxAgeDays > 0 ? 1 : 0);
}
