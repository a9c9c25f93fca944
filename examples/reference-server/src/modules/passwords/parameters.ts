import { passwordRuleFaults, passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';
import { MAX_WORDS_LENGTH, refusedWordsFault } from './refused-words.js';

const { group } = passwordRuleParameters.minLength;

/**
 * PWD-4, PWD-6. Not public, unlike the rules below: the server applies them, so a page needs nothing but the refusal,
 * and they would tell guessers with which passwords to begin.
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
      'Refuse common and leaked passwords, and passwords made from the username or mobile number of the account; applies to app users, too',
    translations: { 'zh-CN': '拒绝常见或已泄露的密码以及由账号的用户名或手机号变化而来的密码，对 App 用户同样有效' },
    group,
  },
  refusedWords: {
    key: 'admin.auth.password.refused-words',
    type: 'STRING',
    default: '',
    maxLength: MAX_WORDS_LENGTH,
    check: refusedWordsFault,
    isPublic: false,
    description:
      'Words of the organisation, separated by commas, at most 20 of 2 to 32 characters: passwords made from one are refused like those made from the username, while common passwords are; applies to app users, too',
    translations: {
      'zh-CN':
        '本组织的词语，以逗号分隔，最多 20 个，每个 2 至 32 个字符；拒绝常见密码时，由这些词语变化而来的密码与由用户名变化而来的一样被拒绝，对 App 用户同样有效',
    },
    group,
  },
  requireSm3: {
    key: 'admin.auth.password.require-sm3',
    type: 'BOOLEAN',
    default: false,
    // Used while the stored value is unusable.
    fallback: true,
    isPublic: false,
    description:
      'Refuse new passwords that are not what the reference clients send: the SM3 of the password, 64 lower-case hex digits; applies to app users, too',
    translations: { 'zh-CN': '拒绝不符合参考客户端格式的新密码（密码的 SM3，64 位小写十六进制），对 App 用户同样有效' },
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
