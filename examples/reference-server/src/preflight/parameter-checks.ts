import { loginPolicyParameters } from '@sallyport/login-policy';
import { uploadPolicyParameters } from '@sallyport/upload-policy';
import { captchaParameters } from '../modules/captcha/index.js';
import { smsParameters } from '../modules/one-time-codes/index.js';
import { sessionParameters } from '../modules/sessions/index.js';
import { registrationParameters } from '../modules/sign-in/index.js';
import type { StoreCheck } from './preflight-check.js';

/** Sessions longer than these are found open on some machine: seconds. */
const LONG_ADMIN_IDLE = 4 * 3600;
const LONG_ADMIN_ABSOLUTE = 24 * 3600;

/**
 * What administrators may set while the server runs, where it takes a protection away. Never an error: only a running
 * server can change it back, so that a start that is refused for it could not be mended.
 */
export const parameters: StoreCheck = {
  id: 'parameters',
  async *run({ stores: { parameters } }) {
    const policy = await parameters.read(loginPolicyParameters);
    if (policy.ipWhitelistEnabled && policy.ipWhitelistValues.trim() === '') {
      yield {
        id: 'parameters.whitelist-empty',
        severity: 'warning',
        finding: 'admin.auth.login.ip-whitelist.enabled is on and its list is empty: every administrator is refused',
        fix: 'set admin.auth.login.ip-whitelist.values',
      };
    }
    if (!policy.ipWhitelistEnabled) {
      yield {
        id: 'parameters.whitelist-off',
        severity: 'info',
        finding: 'admin.auth.login.ip-whitelist.enabled is off: administrators sign in from everywhere',
        fix: 'switch it on where administrators have addresses of their own',
      };
    }
    if (policy.accountFailureCount === 0) {
      yield {
        id: 'parameters.guesses-unlimited',
        severity: 'warning',
        finding:
          'admin.auth.login.account-failure-count is 0: from many addresses an account may be guessed at without end',
        fix: 'set 20, and at most 100',
      };
    }
    if (policy.failureCount > 20 || policy.lockSeconds < 60) {
      yield {
        id: 'parameters.lock-weak',
        severity: 'warning',
        finding: `a sign-in locks after ${policy.failureCount} failures for ${policy.lockSeconds} s`,
        fix: 'set admin.auth.login.failure-count to 5 and lock-seconds to 600',
      };
    }
    const { enabled: hasCaptcha } = await parameters.read(captchaParameters);
    if (!hasCaptcha) {
      yield {
        id: 'parameters.captcha-off',
        severity: 'warning',
        finding: 'admin.auth.captcha.enabled is off: programs may try passwords as fast as the limits let them',
        fix: 'switch it on where administrators sign in by a page',
      };
    }
    if ((await parameters.read(registrationParameters)).enabled) {
      yield {
        id: 'parameters.registration-open',
        severity: 'warning',
        finding: 'admin.auth.registration.enabled is on: anybody makes an administrator account (without a role)',
        fix: 'switch it off when those who should have registered',
      };
    }
    const sessions = await parameters.read(sessionParameters);
    if (sessions.adminIdleSeconds > LONG_ADMIN_IDLE || sessions.adminAbsoluteSeconds > LONG_ADMIN_ABSOLUTE) {
      yield {
        id: 'parameters.sessions-long',
        severity: 'warning',
        finding: `sessions of administrators last ${sessions.adminIdleSeconds} s without a request and ${sessions.adminAbsoluteSeconds} s at most`,
        fix: 'set auth.token.admin.idle-seconds to 1800 and absolute-seconds to 43200',
      };
    }
    const sms = await parameters.read(smsParameters);
    // Guesses at one code, times the codes of a day, against the codes there are.
    if ((sms.maxAttempts * sms.mobileDailyLimit) / 10 ** sms.codeLength > 1e-3) {
      yield {
        id: 'parameters.codes-guessable',
        severity: 'warning',
        finding: `codes have ${sms.codeLength} digits and may be tried ${sms.maxAttempts} times, ${sms.mobileDailyLimit} codes a day: more than one number in a thousand falls on the first day`,
        fix: 'set app.auth.sms.code-length to 6 and max-attempts to 5',
      };
    }
    if (!(await parameters.read(uploadPolicyParameters)).validationEnabled) {
      yield {
        id: 'parameters.uploads-unchecked',
        severity: 'warning',
        finding: 'admin.storage.upload.validation.enabled is off: files are stored whatever they are',
        fix: 'switch it on',
      };
    }
  },
};
