import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { SecondFactorFailedError } from '../../protection/errors.js';
import { SECOND_STEP } from '../../protection/factor-duty.js';
import { deviceToken } from '../login-policy/index.js';
import { password } from '../passwords/index.js';
import type { PresentedProof, SecondStep } from './second-step.js';

export interface SecondStepRouteDependencies {
  readonly secondStep: SecondStep;
}

/** A wrong form is a wrong code. */
const code = Type.String({ minLength: 1, maxLength: 128 });

const KINDS = ['totp', 'recovery-code', 'passkey', 'password'] as const;

const proofBody = Type.Object(
  {
    kind: Type.Unsafe<(typeof KINDS)[number]>({ type: 'string', enum: [...KINDS] }),
    code: Type.Optional(code),
    credential: Type.Optional(Type.Object({}, { title: 'PasskeyAssertion', additionalProperties: true })),
    password: Type.Optional(password),
    deviceToken: Type.Optional(deviceToken),
  },
  {
    title: 'SecondFactorProof',
    additionalProperties: false,
    anyOf: [{ required: ['code'] }, { required: ['credential'] }, { required: ['password'] }],
  },
);

/** The result of a sign-in; for a step-up the end of its effect alone. */
const proven = Type.Object(
  {
    token: Type.Optional(Type.String()),
    tokenType: Type.Optional(Type.Literal('Bearer')),
    expiresAt: Type.Optional(Type.Integer()),
    username: Type.Optional(Type.String()),
    mobile: Type.Optional(Type.String()),
    deviceToken: Type.Optional(Type.String()),
    provenUntil: Type.Optional(Type.Integer()),
  },
  { title: 'ProvenSecondFactor' },
);

const challengeBody = Type.Object(
  { kind: Type.Literal('passkey') },
  { title: 'SecondFactorQuestion', additionalProperties: false },
);

/** Served to the pending sessions of sign-ins, and to full ones for a step-up. */
const served = {
  access: ['admin', 'app'],
  sessionPurposes: [SECOND_STEP],
  beforePasswordChange: 'served',
  safeMode: 'served',
} as const;

/** `POST /auth/second-factor` and `POST /auth/second-factor/options` (MFA-2, MFA-3). */
export async function secondStepRoutes(app: App, { secondStep }: SecondStepRouteDependencies): Promise<void> {
  app.post(
    '/auth/second-factor/options',
    {
      config: { ...served, audit: { action: 'second-factor.challenge' } },
      schema: {
        body: challengeBody,
        response: { 200: oneOf(Type.Object({}, { title: 'PasskeyRequestOptions', additionalProperties: true })) },
      },
    },
    async function askForPasskey(request) {
      const options = await secondStep.challenge(request);
      if (options === null) throw new SecondFactorFailedError();
      return { data: options };
    },
  );

  app.post(
    '/auth/second-factor',
    {
      config: { ...served, ends: true, audit: { action: 'auth.second-factor' } },
      schema: { body: proofBody, response: { 200: oneOf(proven) } },
      preValidation: ignoreEmptyMembers(proofBody),
    },
    async function proveSecondFactor(request) {
      const { deviceToken, kind } = request.body;
      const isSignIn = request.principal?.purpose === SECOND_STEP;
      request.audit?.set({ detail: { step: isSignIn ? 'sign-in' : 'step-up', kind } });
      const proof = proofOf(request);
      if (isSignIn) return { data: await secondStep.completeBy(request, proof, deviceToken) };
      return { data: { provenUntil: await secondStep.stepUp(request, proof, deviceToken) } };
    },
  );
}

/** @throws {SecondFactorFailedError} if the kind comes without what it needs */
function proofOf({ body, principal }: FastifyRequest<{ Body: Static<typeof proofBody> }>): PresentedProof {
  const { kind, code, credential, password } = body;
  if (kind === 'passkey' && credential !== undefined) {
    return { kind, credential, purpose: principal?.purpose === SECOND_STEP ? 'sign-in' : 'step-up' };
  }
  if (kind === 'password' && password !== undefined) return { kind, password };
  if ((kind === 'totp' || kind === 'recovery-code') && code !== undefined) return { kind, code };
  throw new SecondFactorFailedError();
}
