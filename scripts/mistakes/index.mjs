import { cases as auditLog } from './audit-log/cases.mjs';
import { cases as authTokens } from './auth-tokens/cases.mjs';
import { cases as captcha } from './captcha/cases.mjs';
import { cases as clientIp } from './client-ip/cases.mjs';
import { cases as envelopeCrypto } from './envelope-crypto/cases.mjs';
import { cases as idempotency } from './idempotency/cases.mjs';
import { cases as loginPolicy } from './login-policy/cases.mjs';
import { cases as oneTimeCodes } from './one-time-codes/cases.mjs';
import { cases as passwordHashing } from './password-hashing/cases.mjs';
import { cases as replayGuard } from './replay-guard/cases.mjs';
import { cases as secondFactor } from './second-factor/cases.mjs';
import { cases as systemParameters } from './system-parameters/cases.mjs';
import { cases as types } from './types/cases.mjs';
import { cases as uploadPolicy } from './upload-policy/cases.mjs';

/** The mistakes, by the package with which they are made. */
export const rooms = [
  { name: 'auth-tokens', cases: authTokens },
  { name: 'audit-log', cases: auditLog },
  { name: 'idempotency', cases: idempotency },
  { name: 'login-policy', cases: loginPolicy },
  { name: 'captcha', cases: captcha },
  { name: 'upload-policy', cases: uploadPolicy },
  { name: 'envelope-crypto', cases: envelopeCrypto },
  { name: 'replay-guard', cases: replayGuard },
  { name: 'client-ip', cases: clientIp },
  { name: 'system-parameters', cases: systemParameters },
  { name: 'one-time-codes', cases: oneTimeCodes },
  { name: 'second-factor', cases: secondFactor },
  { name: 'password-hashing', cases: passwordHashing },
  { name: 'types', cases: types },
];
