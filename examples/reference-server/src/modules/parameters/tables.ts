import { excludesCaller, loginPolicyParameters } from '@sallyport/login-policy';
import { passwordRuleFaults, passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import { uploadPolicyParameters } from '@sallyport/upload-policy';
import type { FastifyRequest } from 'fastify';
import { smsParameters } from '../one-time-codes/parameters.js';

/** A month: a session that long is a remembered device, and that is another thing. */
const MAX_SESSION_SECONDS = 30 * 86_400;

/** ADM-1. Where the stored value is spoilt, the captcha is on. */
export const captchaParameters = {
  enabled: {
    key: 'admin.auth.captcha.enabled',
    type: 'BOOLEAN',
    default: false,
    fallback: true,
    isPublic: true,
    description: 'Sign-in of administrators needs a captcha',
  },
} as const;

/** USR-3. */
export const registrationParameters = {
  enabled: {
    key: 'admin.auth.registration.enabled',
    type: 'BOOLEAN',
    default: false,
    isPublic: false,
    description: 'Anybody may register an administrator account that has no role',
  },
} as const;

/** TOK-5. Read again for every check of a session: a shorter lifetime holds at once for the sessions there are. */
export const sessionParameters = {
  adminIdleSeconds: {
    key: 'auth.token.admin.idle-seconds',
    type: 'LONG',
    default: 1800,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'An administrator session ends after so long without a request, seconds',
  },
  adminAbsoluteSeconds: {
    key: 'auth.token.admin.absolute-seconds',
    type: 'LONG',
    default: 43_200,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'An administrator session ends after so long in any case, seconds',
  },
  appIdleSeconds: {
    key: 'auth.token.app.idle-seconds',
    type: 'LONG',
    default: 604_800,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'A session of an app user ends after so long without a request, seconds',
  },
  appAbsoluteSeconds: {
    key: 'auth.token.app.absolute-seconds',
    type: 'LONG',
    default: MAX_SESSION_SECONDS,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'A session of an app user ends after so long in any case, seconds',
  },
} as const;

export type SessionLifetimes = ParameterValues<typeof sessionParameters>;

const whitelistKeys: readonly string[] = [
  loginPolicyParameters.ipWhitelistEnabled.key,
  loginPolicyParameters.ipWhitelistValues.key,
];

/** Every parameter that the server knows, with what holds between them. Secrets are never among them (SYS-6). */
export const parameterTables = [
  defineParameterTable<typeof loginPolicyParameters, FastifyRequest>({
    definitions: loginPolicyParameters,
    // LGN-8: an administrator who shuts himself out can't mend it.
    guard({ key, values }, { request }) {
      if (!whitelistKeys.includes(key) || request === undefined) return null;
      return excludesCaller(values, request.clientIp) ? 'With it you could not sign in from your own address' : null;
    },
  }),
  defineParameterTable<typeof passwordRuleParameters, FastifyRequest>({
    definitions: passwordRuleParameters,
    rules: passwordRuleFaults,
  }),
  defineParameterTable<typeof uploadPolicyParameters, FastifyRequest>({ definitions: uploadPolicyParameters }),
  defineParameterTable<typeof captchaParameters, FastifyRequest>({ definitions: captchaParameters }),
  defineParameterTable<typeof registrationParameters, FastifyRequest>({ definitions: registrationParameters }),
  defineParameterTable<typeof sessionParameters, FastifyRequest>({
    definitions: sessionParameters,
    rules: ({ adminIdleSeconds, adminAbsoluteSeconds, appIdleSeconds, appAbsoluteSeconds }) =>
      adminIdleSeconds <= adminAbsoluteSeconds && appIdleSeconds <= appAbsoluteSeconds
        ? []
        : ['idle-seconds must not exceed absolute-seconds'],
  }),
  defineParameterTable<typeof smsParameters, FastifyRequest>({ definitions: smsParameters }),
];
