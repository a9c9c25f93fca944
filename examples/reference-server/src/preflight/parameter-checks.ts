import { loginPolicyParameters } from '@sallyport/login-policy';
import { uploadPolicyParameters } from '@sallyport/upload-policy';
import { captchaParameters } from '../modules/captcha/index.js';
import { smsParameters } from '../modules/one-time-codes/index.js';
import { newPasswordParameters } from '../modules/passwords/index.js';
import { sessionParameters } from '../modules/sessions/index.js';
import { registrationParameters } from '../modules/sign-in/index.js';
import type { StoreCheck } from './preflight-check.js';
import { profileItems } from './profile-check.js';

/** Longer sessions are often left open on shared machines. In seconds. */
const LONG_ADMIN_IDLE = 4 * 3600;
const LONG_ADMIN_ABSOLUTE = 24 * 3600;

/**
 * System parameters whose values disable a protection. They are never errors, because only a running server can change
 * them, so a refused start could not be repaired.
 */
export const parameters: StoreCheck = {
  id: 'parameters',
  tables: ['system_parameters'],
  async *run({ config, stores: { parameters } }) {
    yield* await profileItems(config, parameters);
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
        finding: 'admin.auth.login.ip-whitelist.enabled is off: administrators can sign in from any address',
        fix: 'switch it on if administrators have fixed addresses',
      };
    }
    if (policy.accountFailureCount === 0) {
      yield {
        id: 'parameters.guesses-unlimited',
        severity: 'warning',
        finding:
          'admin.auth.login.account-failure-count is 0: the passwords of an account can be guessed without limit from many addresses',
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
        finding: 'admin.auth.captcha.enabled is off: programs can try passwords as fast as the limits allow',
        fix: 'switch it on if administrators sign in on a web page',
      };
    }
    if (!(await parameters.read(newPasswordParameters)).refuseCommon) {
      yield {
        id: 'parameters.common-passwords',
        severity: 'warning',
        finding: 'admin.auth.password.refuse-common is off: passwords that everybody tries first can be chosen',
        fix: 'switch it on; existing passwords stay valid',
      };
    }
    if ((await parameters.read(registrationParameters)).enabled) {
      yield {
        id: 'parameters.registration-open',
        severity: 'warning',
        finding: 'admin.auth.registration.enabled is on: anyone can create an administrator account (without a role)',
        fix: 'switch it off once the expected accounts are registered',
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
    // The number of compared wrong codes times their chance, which is the expected number of accounts that guessers
    // take over in a day.
    if (sms.overallWrongDailyLimit / 10 ** sms.codeLength > 1e-2) {
      yield {
        id: 'parameters.codes-guessable',
        severity: 'warning',
        finding: `codes have ${sms.codeLength} digits, and ${sms.overallWrongDailyLimit} wrong ones a day are compared: guessers take over more than one number in a hundred days`,
        fix: 'set app.auth.sms.code-length to 6 and overall-wrong-daily-limit to 5000',
      };
    }
    if (!(await parameters.read(uploadPolicyParameters)).validationEnabled) {
      yield {
        id: 'parameters.uploads-unchecked',
        severity: 'warning',
        finding: 'admin.storage.upload.validation.enabled is off: files of every kind are stored',
        fix: 'switch it on',
      };
    }
  },
};
