import { LoginNameRefusedError, LoginPolicyUnavailableError, LoginTerminalRefusedError } from '@sallyport/login-policy';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { MobileInvalidError } from '../../http/errors.js';
import { LATER } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';

/** The limits of failed attempts. */
export const loginPolicyOperations: OperationTexts = {
  'POST /admin/auth/clearLoginLimit': {
    tag: 'Administrator sign-in',
    summary: 'Clear the failed attempts of a name, of an address, or of both',
    description:
      'With `username`, which is a mobile number at a terminal of app users: the counters of the name at the terminal, of every address for it, and its device tokens. With `clientIp`, which needs the permission `api:admin:auth:clearAddressLimit` as well: the counter of the address over all names, IPv6 by its /64. `stillLocked` lists the addresses that go on refusing the name, and until when.',
    refusals: [MobileInvalidError, LoginNameRefusedError, LoginTerminalRefusedError, LoginPolicyUnavailableError],
    request: { username: 'li.hua', terminal: 'Web' },
    response: { data: { stillLocked: [{ counter: 'ip', address: '203.0.113.7', lockedUntil: LATER }] } },
  },
  'GET /admin/login-policy/explain': {
    tag: 'Administrator sign-in',
    summary: 'Explain which counter refuses a name, and until when',
    description:
      'The answer is the same for unknown names of administrators. At a terminal of app users, `username` is a mobile number, and the answer, which shows whether an account has it, needs the permission `api:admin:app-users:list` as well. `devices` counts the devices from which the owner has signed in before, and those of them that count as unknown for now. For an app user it has `codes`: what limits codes and text messages.',
    refusals: [
      MobileInvalidError,
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
        devices: { known: 2, locked: 0 },
      },
    },
  },
  'GET /admin/login-policy/locks': {
    tag: 'Administrator sign-in',
    summary: 'List who is locked now',
    description:
      'The locks in force of accounts that exist, and of addresses, whose `username` is null. A name that no account has is not listed, because people type passwords into that field. Numbers of app users are masked. Locks of codes of second factors are not among them: a reset of the factors ends them. `clientIp` is the address from which the lock was caused. A page may have fewer locks than its size, or none, although others follow.',
    refusals: [LoginPolicyUnavailableError, SystemParametersUnavailableError, StoreUnavailableError],
    response: {
      data: [
        {
          audience: 'admin',
          username: 'li.hua',
          terminal: 'web',
          clientIp: '203.0.113.7',
          scope: 'subject',
          lockedUntil: LATER,
        },
      ],
      page: { size: 20, next: null },
    },
  },
};
