import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { NotFoundError } from '../../http/errors.js';
import { idParams, oneOf, readId } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { endAccess } from '../../protection/end-access.js';
import { type Changes, type ChangeWork, runChangeOf } from '../../storage/changes.js';
import type { AccessControl } from '../roles/index.js';
import type { FactorAccount } from './accounts.js';
import type { Rehearse } from './ending-change.js';
import { makeEnrolmentCode } from './enrolment-codes.js';
import { OwnFactorsError } from './errors.js';
import { resetFactors } from './reset.js';
import { issuedEnrolmentCode } from './schemas.js';
import type { FactorParts } from './service.js';

export interface FactorAdministrationDependencies {
  readonly changes: Changes;
  readonly access: Pick<AccessControl, 'change' | 'assertMayChange'>;
  readonly secondFactors: FactorParts;
  readonly rehearse: Rehearse;
}

const audiences = [
  {
    audience: 'admin',
    path: 'administrators',
    permission: ['api:admin:second-factors:reset-administrators'],
    of: 'Administrator',
  },
  {
    audience: 'app',
    path: 'app-users',
    permission: ['api:admin:second-factors:reset-app-users', 'api:admin:app-users:update'],
    of: 'AppUser',
  },
] as const;

/** `DELETE …/:id/second-factors` and `POST …/:id/second-factors/enrolment-code`, for both kinds of accounts (MFA-4). */
export async function factorAdministrationRoutes(
  app: App,
  { changes, access, secondFactors, rehearse }: FactorAdministrationDependencies,
): Promise<void> {
  const { accounts } = secondFactors;

  /**
   * Makes a change of the account's factors. Nobody resets those of an account that has grants which he lacks, nor his
   * own: a stolen session must not be enough.
   */
  function guarded(
    request: FastifyRequest,
    account: FactorAccount,
  ): <Result>(work: ChangeWork<Result>) => Promise<Result> {
    const runChange = runChangeOf(changes, request);
    const actorId = request.principal!.subject;
    return (work) =>
      runChange((transaction, record) => {
        record({ target: account.subject });
        if (account.audience === 'app') return work(transaction, record);
        return access.change(transaction, actorId, async () => {
          await access.assertMayChange(transaction, actorId, account.subject);
          return work(transaction, record);
        });
      });
  }

  for (const { audience, path, permission, of } of audiences) {
    /** The name of a handler is the id of its operation. */
    const named = <Handler extends object>(name: string, handler: Handler): Handler =>
      Object.defineProperty(handler, 'name', { value: `${name}Of${of}` });

    async function accountOf(request: FastifyRequest): Promise<FactorAccount> {
      const id = readId(request.params as { id: string });
      const account = await accounts.find(audience, id);
      if (account === null) throw new NotFoundError();
      if (audience === 'admin' && id === request.principal!.subject) throw new OwnFactorsError();
      return account;
    }

    app.delete(
      `/admin/${path}/:id/second-factors`,
      {
        config: { access: 'admin', permission, stepUp: true, ends: true, audit: { action: 'second-factor.reset' } },
        schema: { params: idParams, response: { 204: Type.Null() } },
      },
      named('resetSecondFactors', async (request, reply) => {
        const account = await accountOf(request);
        const run = guarded(request, account);
        // A refused reset ends no session.
        await rehearse(run, async () => {});
        await endAccess(app, request, account, 'SESSION_REVOKED');
        await resetFactors(secondFactors, run, account);
        await endAccess(app, request, account, 'SESSION_REVOKED');
        return reply.code(204).send(null);
      }),
    );

    app.post(
      `/admin/${path}/:id/second-factors/enrolment-code`,
      {
        config: {
          access: 'admin',
          permission,
          stepUp: true,
          audit: { action: 'second-factor.enrolment-code', changes: 'in-handler' },
        },
        schema: {
          params: idParams,
          body: Type.Union([Type.Null(), Type.Object({}, { title: 'NewEnrolmentCode', additionalProperties: false })]),
          response: { 201: oneOf(issuedEnrolmentCode) },
        },
      },
      named('issueEnrolmentCode', async (request, reply) => {
        const account = await accountOf(request);
        const data = await guarded(request, account)((transaction) => makeEnrolmentCode(transaction, account));
        return reply.code(201).send({ data });
      }),
    );
  }
}
