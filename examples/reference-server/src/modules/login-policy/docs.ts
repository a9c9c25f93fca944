import { LoginNameRefusedError, LoginPolicyUnavailableError, LoginTerminalRefusedError } from '@sallyport/login-policy';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import { LATER } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';

/** The limits of failed attempts. */
export const loginPolicyOperations: OperationTexts = {
  'POST /admin/auth/clearLoginLimit': {
    tag: 'Administrator sign-in',
    summary: 'Clear the failed attempts of a name',
    description:
      'The counters of the name at the terminal, and of every address for it. For an app user also the limits of codes and of text messages.',
    refusals: [LoginNameRefusedError, LoginTerminalRefusedError, LoginPolicyUnavailableError],
    request: { username: 'li.hua', terminal: 'Web' },
  },
  'GET /admin/login-policy/explain': {
    tag: 'Administrator sign-in',
    summary: 'Explain which counter refuses a name, and until when',
    description:
      'The answer is the same for unknown names. For an app user it has `codes`: what limits codes and text messages.',
    refusals: [
      LoginNameRefusedError,
      LoginTerminalRefusedError,
      LoginPolicyUnavailableError,
      SystemParametersUnavailableError,
    ],
    response: {
      data: {
        username: 'li.hua',
        terminal: 'web',
        lockedUntil: LATER,
        codes: {
          liveCodes: 1,
          messages: 3,
          wrongCodes: 51,
          limits: [{ limit: 'check-captcha', until: LATER }],
        },
        counters: [{ counter: 'account', address: null, limit: 20, state: 'locked', lockedUntil: LATER }],
      },
    },
  },
};
