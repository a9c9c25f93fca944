import { LoginLockedError } from '@sallyport/login-policy';
import {
  SecondFactorNotEnrolledError,
  SecondFactorUnavailableError,
  TooManyPasskeysError,
} from '@sallyport/second-factor';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { AccountGoneError, NotFoundError } from '../../http/errors.js';
import { INSTANT, LATER, THING_ID, TOKEN } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { SecondFactorFailedError, SecondFactorRequiredError } from '../../protection/errors.js';
import { GrantNotHeldError } from '../roles/index.js';
import {
  EnrolmentCodeRequiredError,
  LastFactorError,
  OwnFactorsError,
  PasskeysNotConfiguredError,
  SecondFactorOffError,
} from './errors.js';

const tag = 'Second factors';
const enrolling = [
  AccountGoneError,
  SecondFactorOffError,
  SecondFactorRequiredError,
  EnrolmentCodeRequiredError,
  LoginLockedError,
  StoreUnavailableError,
];
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const CODE = '7Q2M-0KXA-93TD-WJ5E-C8RV-1HNF';
const CHALLENGE = 'dGhlLWNoYWxsZW5nZS1vZi10aGlzLXBhc3NrZXktMDE';

/** A credential as the browser writes it. */
const credential = {
  id: 'cGFzc2tleQ',
  rawId: 'cGFzc2tleQ',
  type: 'public-key',
  clientExtensionResults: {},
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0', attestationObject: 'o2NmbXRkbm9uZQ' },
};
const whenDemanded =
  'In the session of a sign-in that demands an enrolment, `enrolmentCode` is needed when the days of grace are over.';
const signIn = { token: TOKEN, tokenType: 'Bearer', expiresAt: LATER, username: 'admin' };

const reset = (who: string) => ({
  tag,
  summary: `Reset the second factors of ${who}`,
  description: 'Removes all factors and ends all sessions of the account. Its days of grace begin again.',
  refusals: [NotFoundError, GrantNotHeldError, OwnFactorsError, StoreUnavailableError],
});
const issueCode = (who: string) => ({
  tag,
  summary: `Issue an enrolment code for ${who}`,
  description:
    'With it the account can enrol its first factor after the days of grace: once, within 24 hours. An earlier code ends. It is shown once.',
  refusals: [NotFoundError, GrantNotHeldError, OwnFactorsError],
  response: { data: { code: CODE, expiresAt: LATER } },
});

export const secondFactorOperations: OperationTexts = {
  'GET /auth/second-factors': {
    tag,
    summary: 'List one’s own second factors',
    description: 'With the mode of the own audience: while it is OFF, no factor is changed.',
    refusals: [AccountGoneError],
    response: {
      data: [{ id: THING_ID, kind: 'totp', name: 'Phone', createdAt: INSTANT, lastUsedAt: null }],
      mode: 'OPTIONAL',
    },
  },
  'POST /auth/second-factors/totp': {
    tag,
    summary: 'Begin to enrol an authenticator app',
    description: `Show \`uri\` as a QR code, and \`secret\` for typing. The factor counts once it is confirmed, and replaces an earlier one. ${whenDemanded}`,
    refusals: enrolling,
    request: { name: 'Phone' },
    response: {
      data: {
        id: THING_ID,
        secret: SECRET,
        uri: `otpauth://totp/Sallyport:admin?secret=${SECRET}&issuer=Sallyport&algorithm=SHA1&digits=6&period=30`,
        expiresAt: LATER,
      },
    },
  },
  'POST /auth/second-factors/totp/:id/confirm': {
    tag,
    summary: 'Confirm an authenticator app by its first code',
    description: `The code is used up. The first factor ends all other sessions of the account. ${whenDemanded} Such a session ends, and \`signIn\` is the result of the sign-in.`,
    refusals: [...enrolling, SecondFactorFailedError, SecondFactorUnavailableError],
    request: { code: '123456' },
    response: { data: { id: THING_ID, kind: 'totp', signIn } },
  },
  'POST /auth/second-factors/passkeys/options': {
    tag,
    summary: 'Begin to enrol a passkey',
    description: `The answer is for \`PublicKeyCredential.parseCreationOptionsFromJSON\`. ${whenDemanded}`,
    refusals: [...enrolling, PasskeysNotConfiguredError, TooManyPasskeysError],
    request: {},
    response: {
      data: { challenge: CHALLENGE, rp: { id: 'example.com', name: 'Sallyport' }, pubKeyCredParams: [] },
    },
  },
  'POST /auth/second-factors/passkeys': {
    tag,
    summary: 'Enrol a passkey',
    description: `\`credential\` is the \`toJSON()\` of what \`navigator.credentials.create\` returned. ${whenDemanded} Such a session ends, and \`signIn\` is the result of the sign-in.`,
    refusals: [...enrolling, PasskeysNotConfiguredError, TooManyPasskeysError, SecondFactorFailedError],
    request: { name: 'Laptop', credential },
    response: { data: { id: credential.id, kind: 'passkey', signIn } },
  },
  'POST /auth/second-factors/recovery-codes': {
    tag,
    summary: 'Make ten recovery codes',
    description: 'They replace the earlier ones, and are shown once. Each replaces a factor once.',
    refusals: [AccountGoneError, SecondFactorOffError, SecondFactorNotEnrolledError],
    request: {},
    response: { data: { codes: [CODE] } },
  },
  'DELETE /auth/second-factors/:id': {
    tag,
    summary: 'Remove one of one’s own second factors',
    description: 'Recovery codes go with the last other factor, which stays while a factor is required.',
    refusals: [AccountGoneError, NotFoundError, SecondFactorOffError, LastFactorError],
  },
  'DELETE /admin/administrators/:id/second-factors': reset('an administrator'),
  'DELETE /admin/app-users/:id/second-factors': reset('an app user'),
  'POST /admin/administrators/:id/second-factors/enrolment-code': issueCode('an administrator'),
  'POST /admin/app-users/:id/second-factors/enrolment-code': issueCode('an app user'),
};
