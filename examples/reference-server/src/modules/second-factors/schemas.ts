import { Type } from 'typebox';
import { FACTOR_MODES, type FactorMode } from './parameters.js';

/** A factor as its owner sees it. */
const factor = Type.Object(
  {
    id: Type.String(),
    kind: Type.Unsafe<'totp' | 'passkey' | 'recovery-code'>({
      type: 'string',
      enum: ['totp', 'passkey', 'recovery-code'],
    }),
    name: Type.Union([Type.String(), Type.Null()]),
    createdAt: Type.Integer(),
    lastUsedAt: Type.Union([Type.Integer(), Type.Null()]),
    /** The number of recovery codes that are left. */
    codesLeft: Type.Optional(Type.Integer()),
    /** Whether a passkey may be on several devices. */
    isBackedUp: Type.Optional(Type.Boolean()),
  },
  { title: 'SecondFactor' },
);

/** The own factors, and the mode: while it is OFF, none of them is changed. */
export const ownFactors = Type.Object(
  {
    data: Type.Array(factor),
    mode: Type.Unsafe<FactorMode>({ type: 'string', enum: [...FACTOR_MODES] }),
  },
  { title: 'SecondFactorList' },
);

export const totpEnrolment = Type.Object(
  {
    id: Type.String(),
    /** In base32, for typing. */
    secret: Type.String(),
    /** For a QR code. */
    uri: Type.String(),
    expiresAt: Type.Integer(),
  },
  { title: 'TotpEnrolment' },
);

/** The factor that was stored. In the session of a sign-in, the result of the sign-in is with it. */
export const enrolled = Type.Object(
  {
    id: Type.String(),
    kind: Type.Unsafe<'totp' | 'passkey'>({ type: 'string', enum: ['totp', 'passkey'] }),
    signIn: Type.Optional(Type.Object({}, { title: 'CompletedSignIn', additionalProperties: true })),
  },
  { title: 'EnrolledFactor' },
);

export const recoveryCodes = Type.Object({ codes: Type.Array(Type.String()) }, { title: 'RecoveryCodes' });

export const issuedEnrolmentCode = Type.Object(
  { code: Type.String(), expiresAt: Type.Integer() },
  { title: 'EnrolmentCode' },
);

export const factorName = Type.Union([
  Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }),
  Type.Null(),
]);

/** A wrong form is a wrong code. */
export const code = Type.String({ minLength: 1, maxLength: 128 });

/** The `toJSON()` of a credential of the browser, which the engine reads. */
export const credential = Type.Object({}, { title: 'PublicKeyCredentialJSON', additionalProperties: true });
