import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { endSession } from '../../protection/end-access.js';
import { ENROLMENT, FACTOR_PROOF } from '../../protection/factor-duty.js';
import type { FactorAccount } from './accounts.js';
import { createOwnFactors, type Enrolment, type OwnFactorDependencies } from './own-factors.js';
import { code, credential, enrolled, factorName, ownFactors, recoveryCodes, totpEnrolment } from './schemas.js';

export interface OwnFactorRouteDependencies extends OwnFactorDependencies {
  /** Completes the sign-in of a session that has just enrolled its first factor. The result is that of the sign-in. */
  readonly completeSignIn: (request: FastifyRequest, factorId: string) => Promise<object>;
}

/** Served to full sessions, and to those of a sign-in that demands an enrolment. */
const enrolling = { access: ['admin', 'app'], sessionPurposes: [ENROLMENT], stepUp: true } as const;

/** `/auth/second-factors…`: the factors of administrators and app users (MFA-1, MFA-2). */
export async function ownFactorRoutes(app: App, dependencies: OwnFactorRouteDependencies): Promise<void> {
  const own = createOwnFactors(dependencies, { endOthers, takeProofBack });

  async function endOthers(request: FastifyRequest, account: FactorAccount): Promise<void> {
    const { sessionId } = request.principal!;
    const sessions = await app.authTokens.sessions(account);
    const others = sessions.filter((session) => session.sessionId !== sessionId);
    for (const other of others) await endSession(app, request, other.sessionId);
  }

  async function takeProofBack({ principal }: FastifyRequest): Promise<void> {
    await app.authTokens.prove(principal!.sessionId, null);
  }

  /** After an enrolment: the proof counts for this session. A sign-in goes on. */
  async function complete(request: FastifyRequest, { isOfSignIn }: Enrolment, factorId: string) {
    if (isOfSignIn) return dependencies.completeSignIn(request, factorId);
    await app.authTokens.prove(request.principal!.sessionId, FACTOR_PROOF);
    return undefined;
  }

  app.get(
    '/auth/second-factors',
    {
      config: { access: ['admin', 'app'], audit: 'second-factor' },
      schema: { response: { 200: ownFactors } },
    },
    async function listOwnFactors(request) {
      const { mode, factors } = await own.list(request);
      return { data: [...factors], mode };
    },
  );

  app.post(
    '/auth/second-factors/totp',
    {
      config: { ...enrolling, audit: { action: 'second-factor.begin' } },
      schema: {
        body: Type.Object(
          { name: Type.Optional(factorName), enrolmentCode: Type.Optional(code) },
          { title: 'NewTotp', additionalProperties: false },
        ),
        response: { 200: oneOf(totpEnrolment) },
      },
    },
    async function beginTotp(request) {
      const { name = null, enrolmentCode } = request.body;
      return { data: await own.beginTotp(await own.assertEnrolment(request, enrolmentCode), name) };
    },
  );

  app.post(
    '/auth/second-factors/totp/:id/confirm',
    {
      config: { ...enrolling, ends: true, audit: { action: 'second-factor.enrol' } },
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
        body: Type.Object(
          { code, enrolmentCode: Type.Optional(code) },
          { title: 'TotpConfirmation', additionalProperties: false },
        ),
        response: { 200: oneOf(enrolled) },
      },
    },
    async function confirmTotp(request) {
      const { params, body } = request;
      const enrolment = await own.assertEnrolment(request, body.enrolmentCode);
      const { factorId } = await own.confirmTotp(request, enrolment, { id: params.id, code: body.code });
      const signIn = await complete(request, enrolment, factorId);
      return { data: { id: factorId, kind: 'totp' as const, ...(signIn === undefined ? {} : { signIn }) } };
    },
  );

  app.post(
    '/auth/second-factors/passkeys/options',
    {
      config: { ...enrolling, audit: { action: 'second-factor.begin' } },
      schema: {
        body: Type.Object(
          { enrolmentCode: Type.Optional(code) },
          { title: 'NewPasskeyQuestion', additionalProperties: false },
        ),
        response: { 200: oneOf(Type.Object({}, { title: 'PasskeyCreationOptions', additionalProperties: true })) },
      },
    },
    async function beginPasskey(request) {
      return { data: await own.beginPasskey(await own.assertEnrolment(request, request.body.enrolmentCode)) };
    },
  );

  app.post(
    '/auth/second-factors/passkeys',
    {
      config: { ...enrolling, ends: true, audit: { action: 'second-factor.enrol' } },
      schema: {
        body: Type.Object(
          { name: Type.Optional(factorName), credential, enrolmentCode: Type.Optional(code) },
          { title: 'NewPasskey', additionalProperties: false },
        ),
        response: { 201: oneOf(enrolled) },
      },
    },
    async function enrolPasskey(request, reply) {
      const { name = null, credential, enrolmentCode } = request.body;
      const enrolment = await own.assertEnrolment(request, enrolmentCode);
      const { id } = await own.finishPasskey(request, enrolment, name, credential);
      const signIn = await complete(request, enrolment, id);
      return reply
        .code(201)
        .send({ data: { id, kind: 'passkey' as const, ...(signIn === undefined ? {} : { signIn }) } });
    },
  );

  app.post(
    '/auth/second-factors/recovery-codes',
    {
      config: {
        access: ['admin', 'app'],
        stepUp: true,
        audit: { action: 'second-factor.recovery-codes', changes: 'in-handler' },
      },
      schema: {
        body: Type.Union([Type.Null(), Type.Object({}, { title: 'NewRecoveryCodes', additionalProperties: false })]),
        response: { 201: oneOf(recoveryCodes) },
      },
    },
    async function createRecoveryCodes(request, reply) {
      return reply.code(201).send({ data: { codes: [...(await own.createRecoveryCodes(request))] } });
    },
  );

  app.delete(
    '/auth/second-factors/:id',
    {
      config: {
        access: ['admin', 'app'],
        stepUp: true,
        ends: true,
        audit: { action: 'second-factor.remove' },
      },
      // The id of a passkey is as long as its authenticator wants.
      schema: { params: Type.Object({ id: Type.String({ maxLength: 1500 }) }), response: { 204: Type.Null() } },
    },
    async function removeFactor(request, reply) {
      await own.remove(request, request.params.id);
      return reply.code(204).send(null);
    },
  );
}
