import { passwordRuleFaults, passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

const { group } = passwordRuleParameters.minLength;

/**
 * PWD-4. Unlike the rules below it is not public. The server applies it, so a page needs only the refusal, and the
 * value would show attackers with which passwords to begin.
 */
export const newPasswordParameters = {
  refuseCommon: {
    key: 'admin.auth.password.refuse-common',
    type: 'BOOLEAN',
    default: true,
    // Used while the stored value is unusable.
    fallback: true,
    isPublic: false,
    description:
      'Refuse common passwords, and passwords made from the username or mobile number of the account; applies to app users, too',
    translations: { 'zh-CN': '拒绝常见密码以及由账号的用户名或手机号变化而来的密码，对 App 用户同样有效' },
    group,
  },
} as const;

export const newPasswordParameterTable = defineParameterTable<typeof newPasswordParameters, FastifyRequest>({
  definitions: newPasswordParameters,
});

/** The rules that clients apply to a password before they hash it. */
export const passwordRuleParameterTable = defineParameterTable<typeof passwordRuleParameters, FastifyRequest>({
  definitions: passwordRuleParameters,
  rules: passwordRuleFaults,
});
