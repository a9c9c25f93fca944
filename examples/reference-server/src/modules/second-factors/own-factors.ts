import type { FactorSummary } from '@sallyport/second-factor';
import type { FastifyRequest } from 'fastify';
import { NotFoundError } from '../../http/errors.js';
import { confirmAsFirstFactor } from '../../protection/access-fence.js';
import { SecondFactorFailedError, SecondFactorRequiredError, StepUpRequiredError } from '../../protection/errors.js';
import { ENROLMENT } from '../../protection/factor-duty.js';
import { type Changes, type ChangeWork, runChangeOf } from '../../storage/changes.js';
import type { ReadableDatabase } from '../../storage/database.js';
import type { FactorAccount } from './accounts.js';
import { changeAndEnd, type Rehearse } from './ending-change.js';
import { isEnrolmentCode, useEnrolmentCode } from './enrolment-codes.js';
import { EnrolmentCodeRequiredError, LastFactorError, SecondFactorOffError } from './errors.js';
import type { RunFactorChange } from './factor-records.js';
import { principalOf } from './owner.js';
import type { FactorPolicy } from './parameters.js';
import { isEnrolled } from './presence.js';
import { type FactorParts, passkeysOf, type SecondFactorService } from './service.js';

export interface OwnFactorDependencies {
  readonly database: ReadableDatabase;
  readonly changes: Changes;
  readonly secondFactors: SecondFactorService & FactorParts;
  readonly rehearse: Rehearse;
}

/** The ends that changes of factors bring. */
export interface FactorEnds {
  /** Ends all sessions of the account but that of the request. */
  readonly endOthers: (request: FastifyRequest, account: FactorAccount) => Promise<void>;
  /** The session of the request no longer counts as one that has proven something. */
  readonly takeProofBack: (request: FastifyRequest) => Promise<void>;
}

/** The owner of a request that changes own factors, who may do so. */
interface Changing {
  readonly account: FactorAccount;
  readonly policy: FactorPolicy;
}

/** The factors of an account, and the mode of its audience. */
interface OwnFactors extends Pick<FactorPolicy, 'mode'> {
  readonly factors: readonly FactorSummary[];
}

/** A permitted enrolment. */
export interface Enrolment extends Changing {
  readonly isFirst: boolean;
  /** The account has an authenticator app, whose place another one takes. */
  readonly hasTotp: boolean;
  /** In the session of a sign-in that demands an enrolment. */
  readonly isOfSignIn: boolean;
  /** The code without which it is refused, as it was given. Null: none is needed. */
  readonly code: string | null;
}

/** The operations of owners on their factors (MFA-1, MFA-2). */
export function createOwnFactors(
  { database, changes, secondFactors, rehearse }: OwnFactorDependencies,
  { endOthers, takeProofBack }: FactorEnds,
) {
  const { openEngines, failures } = secondFactors;

  async function assertChanging(request: FastifyRequest): Promise<Changing> {
    const account = await secondFactors.ownerOf(request.principal!);
    const policy = await secondFactors.policyOf(account.audience);
    if (policy.mode === 'OFF') throw new SecondFactorOffError();
    return { account, policy };
  }

  /**
   * Decides whether the request may enrol a factor. A full session has proven a factor just now or, without one, the
   * password: the route demands it. A session of a sign-in has proven the password, which suffices for some days.
   */
  async function assertEnrolment(request: FastifyRequest, enrolmentCode: string | undefined): Promise<Enrolment> {
    const { account, policy } = await assertChanging(request);
    const isOfSignIn = request.principal!.purpose === ENROLMENT;
    const kinds = await secondFactors.kindsOf(account);
    const isFirst = kinds.length === 0;
    const common = { account, policy, isFirst, hasTotp: kinds.includes('totp'), isOfSignIn };
    // A code to the phone of an account with a password does not prove the password.
    const lacksPassword = isFirst && account.hasPassword && request.principal!.proof?.method !== 'password';
    if (!isOfSignIn) {
      if (lacksPassword) throw new StepUpRequiredError();
      return { ...common, code: null };
    }
    if (!isFirst) throw new SecondFactorRequiredError();
    if (!lacksPassword && (await secondFactors.mayEnrol(account)) === 'free') return { ...common, code: null };
    if (enrolmentCode === undefined) throw new EnrolmentCodeRequiredError();
    const isRight = await failures.attempt(account, 'enrolment-code', request, async () =>
      (await isEnrolmentCode(database, account, enrolmentCode)) ? { enrolmentCode } : null,
    );
    if (isRight === null) throw new EnrolmentCodeRequiredError();
    return { ...common, code: enrolmentCode };
  }

  /**
   * Stores the factor, if the enrolment is still permitted in the transaction. One that takes the place of another ends
   * all other sessions, and so does the first one: they were opened without it. These are refused from its commit on,
   * so they end after it, and two enrolments at once don't end each other.
   */
  function enrolling(request: FastifyRequest, enrolment: Enrolment, kind: 'totp' | 'passkey'): RunFactorChange {
    const { account, isFirst, hasTotp, code } = enrolment;
    const runChange = runChangeOf(changes, request);
    const end = () => endOthers(request, account);
    const replaces = kind === 'totp' && hasTotp;
    return (work) => {
      const change: ChangeWork<void> = async (transaction, record) => {
        if (isFirst && (await isEnrolled(transaction, account, 'locked'))) throw new SecondFactorRequiredError();
        if (code !== null && !(await useEnrolmentCode(transaction, account, code))) {
          throw new EnrolmentCodeRequiredError();
        }
        record({ target: account.username, detail: { kind, isFirst, withCode: code !== null } });
        await work(transaction, record);
        if (isFirst) confirmAsFirstFactor(transaction);
      };
      if (replaces) return changeAndEnd({ runChange, rehearse, end }, change);
      return isFirst ? runChange(change).then(end) : runChange(change);
    };
  }

  return {
    assertEnrolment,

    async list(request: FastifyRequest): Promise<OwnFactors> {
      const account = await secondFactors.ownerOf(request.principal!);
      const { mode } = await secondFactors.policyOf(account.audience);
      return { mode, factors: await secondFactors.readOnly.factors.list(principalOf(account)) };
    },

    async beginTotp({ account }: Enrolment, name: string | null) {
      return secondFactors.readOnly.factors.beginTotp({
        principal: principalOf(account),
        account: account.username,
        name,
      });
    },

    async confirmTotp(request: FastifyRequest, enrolment: Enrolment, proof: { id: string; code: string }) {
      const { factors } = openEngines(enrolling(request, enrolment, 'totp'));
      const confirmed = await factors.confirmTotp({ principal: principalOf(enrolment.account), ...proof });
      if (confirmed === null) throw new SecondFactorFailedError();
      return confirmed;
    },

    async beginPasskey({ account }: Enrolment) {
      const passkeys = passkeysOf(secondFactors.readOnly);
      return passkeys.beginRegistration({ principal: principalOf(account), account: account.username });
    },

    async finishPasskey(request: FastifyRequest, enrolment: Enrolment, name: string | null, credential: unknown) {
      const passkeys = passkeysOf(openEngines(enrolling(request, enrolment, 'passkey')));
      const response = credential as Parameters<typeof passkeys.finishRegistration>[0]['response'];
      const principal = principalOf(enrolment.account);
      const stored = await passkeys.finishRegistration({ principal, response, name });
      if (stored === null) throw new SecondFactorFailedError();
      return stored;
    },

    /**
     * Removes a factor. The last one stays while one is required. Other sessions may have been opened with what is
     * lost. Without a factor, that of the request would go on as one that has just proven it.
     */
    async remove(request: FastifyRequest, id: string): Promise<void> {
      const { account, policy } = await assertChanging(request);
      const runChange = runChangeOf(changes, request);
      let isOneLeft = true;
      async function end(): Promise<void> {
        await endOthers(request, account);
        if (!isOneLeft) await takeProofBack(request);
      }
      const { factors } = openEngines((work) =>
        changeAndEnd({ runChange, rehearse, end }, async (transaction, record) => {
          await work(transaction, record);
          isOneLeft = await isEnrolled(transaction, account);
          if (policy.mode === 'REQUIRED' && !isOneLeft) throw new LastFactorError();
          record({ target: account.username });
        }),
      );
      if (!(await factors.remove({ principal: principalOf(account), id }))) throw new NotFoundError();
    },

    /** Makes ten recovery codes, in place of the earlier ones. */
    async createRecoveryCodes(request: FastifyRequest): Promise<readonly string[]> {
      const { account } = await assertChanging(request);
      const runChange = runChangeOf(changes, request);
      const { factors } = openEngines((work) =>
        runChange(async (transaction, record) => {
          record({ target: account.username });
          await work(transaction, record);
        }),
      );
      return factors.createRecoveryCodes({ principal: principalOf(account) });
    },
  };
}
