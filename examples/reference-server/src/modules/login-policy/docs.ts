import { LoginNameRefusedError, LoginPolicyUnavailableError, LoginTerminalRefusedError } from '@sallyport/login-policy';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import { LATER } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';

/** The limits of failed attempts. */
export const loginPolicyOperations: OperationTexts = {
  'POST /admin/auth/clearLoginLimit': {
    tag: 'Administrator sign-in',
    summary: 'Clear the failed attempts of a name',
    description: 'The counters of the name at the terminal, and of every address for it.',
    refusals: [LoginNameRefusedError, LoginTerminalRefusedError, LoginPolicyUnavailableError],
    request: { username: 'li.hua', terminal: 'Web' },
  },
  'GET /admin/login-policy/explain': {
    tag: 'Administrator sign-in',
    summary: 'Explain which counter refuses a name, and until when',
    description: 'The answer is the same for unknown names.',
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
        counters: [{ counter: 'account', address: null, limit: 20, state: 'locked', lockedUntil: LATER }],
      },
    },
  },
};
