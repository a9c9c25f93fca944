import { LifetimeUnavailableError, SessionRevokedError, SessionStoreUnavailableError } from '@sallyport/auth-tokens';
import { LoginIpRefusedError, LoginLockedError, LoginPolicyUnavailableError } from '@sallyport/login-policy';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import { SecondFactorNotEnrolledError, SecondFactorUnavailableError } from '@sallyport/second-factor';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { AccountGoneError } from '../../http/errors.js';
import { LATER } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { SecondFactorFailedError } from '../../protection/errors.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import { developmentAccount, passwordToSend } from '../administrators/index.js';
import { PasskeysNotConfiguredError } from '../second-factors/index.js';

/** The second step of sign-ins, and step-up. */
export const secondStepOperations: OperationTexts = {
  'POST /auth/second-factor/options': {
    tag: 'Second step',
    summary: 'Get the challenge for a passkey',
    description:
      'The options for `navigator.credentials.get`. The challenge is for the sign-in whose pending token is sent, or for a step-up of the session.',
    refusals: [
      PasskeysNotConfiguredError,
      SecondFactorNotEnrolledError,
      SecondFactorUnavailableError,
      AccountGoneError,
      DatabaseUnavailableError,
      StoreUnavailableError,
    ],
    request: { kind: 'passkey' },
    response: {
      data: {
        challenge: 'nQ1m3Yt7wB0zQ0rC2l8a3w',
        rpId: 'example.com',
        userVerification: 'required',
        timeout: 120_000,
      },
    },
  },
  'POST /auth/second-factor': {
    tag: 'Second step',
    summary: 'Prove a second factor',
    description:
      'With the pending token of a sign-in: the answer has the result of the sign-in, with a new token. With the token of a full session: a step-up, after which sensitive operations are allowed until `provenUntil`. `kind` is `totp` or `recovery-code` with `code`, `passkey` with `credential`, or, for a step-up of an account without a factor, `password`. Wrong, used and expired proofs get one answer. After ten wrong codes in a day, only a passkey or a recovery code is accepted. Five failed step-ups in a row end the session.',
    refusals: [
      SecondFactorFailedError,
      PasskeysNotConfiguredError,
      LoginLockedError,
      LoginIpRefusedError,
      LoginPolicyUnavailableError,
      SecondFactorUnavailableError,
      PasswordHashingBusyError,
      SystemParametersUnavailableError,
      AccountGoneError,
      SessionRevokedError,
      SessionStoreUnavailableError,
      LifetimeUnavailableError,
      DatabaseUnavailableError,
      StoreUnavailableError,
    ],
    // A step-up of the account that a development server has.
    request: { kind: 'password', password: passwordToSend(developmentAccount.password) },
    response: { data: { provenUntil: LATER } },
  },
};
