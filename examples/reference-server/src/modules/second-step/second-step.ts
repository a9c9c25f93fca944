import { SessionRevokedError } from '@sallyport/auth-tokens';
import { counterKey } from '@sallyport/client-ip';
import { excludesCaller, LoginIpRefusedError, loginPolicyParameters } from '@sallyport/login-policy';
import type { FastifyRequest } from 'fastify';
import { AccountGoneError } from '../../http/errors.js';
import type { App } from '../../http/module.js';
import { detailOfSessions, endSession, replaceSession } from '../../protection/end-access.js';
import { SecondFactorFailedError } from '../../protection/errors.js';
import { ENROLMENT, FACTOR_PROOF, SECOND_STEP } from '../../protection/factor-duty.js';
import type { PasswordHashing } from '../passwords/index.js';
import type { FactorOwner, FactorProof, SecondFactorService } from '../second-factors/index.js';
import { createFailedStepUps, type FailedStepUpsOptions } from './failed-step-ups.js';

/** An account of either audience, as far as a sign-in needs it. */
export interface SignInAccount {
  readonly id: string;
  /** The user name, or the mobile number. */
  readonly name: string;
  /** Null: the account has no password. */
  readonly passwordHash: string | null;
  readonly disabled: boolean;
}

/** The step that is missing after a right password. */
export interface MissingStep {
  /** The purpose of the session. */
  readonly purpose: typeof SECOND_STEP | typeof ENROLMENT;
  /** For the client. */
  readonly secondFactor: { readonly kinds: string[]; readonly mustEnrol: boolean };
}

/** The result of a sign-in. */
export interface SignedIn {
  readonly token: string;
  readonly tokenType: 'Bearer';
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  readonly username?: string;
  readonly mobile?: string;
  /** Absent for an account without a password. */
  readonly deviceToken?: string;
}

/** The proof that a client presents: a factor or, for a step-up without one, the password. */
export type PresentedProof = FactorProof | { readonly kind: 'password'; readonly password: string };

export interface SecondStepDependencies {
  readonly secondFactors: Pick<SecondFactorService, 'kindsOf' | 'verify' | 'has' | 'policyOf' | 'beginPasskey'>;
  readonly findAccount: (audience: FactorOwner['audience'], id: string) => Promise<SignInAccount | null>;
  readonly passwords: Pick<PasswordHashing, 'verify'>;
  /** Counts failed step-ups. */
  readonly store: FailedStepUpsOptions['store'];
  /** The clock of sessions, in milliseconds. */
  readonly now: () => number;
}

export type SecondStep = ReturnType<typeof createSecondStep>;

/** The second step of sign-ins, and step-up: both prove a factor (MFA-2, MFA-3). */
export function createSecondStep(app: App, dependencies: SecondStepDependencies) {
  const { secondFactors, findAccount, passwords, store, now } = dependencies;
  const failedStepUps = createFailedStepUps({ store, log: app.log, endSession: endAfterFailures });

  /** The record of the request is begun before the end, and the one of the end follows it. */
  async function endAfterFailures(request: FastifyRequest): Promise<void> {
    const { audience, subject, sessionId } = request.principal!;
    if (!(await endSession(app, request, sessionId))) return;
    await request.audit?.record({
      action: 'session.revoke',
      target: `${audience}:${subject}`,
      reason: new SecondFactorFailedError().code,
      ...detailOfSessions(`${audience}:${subject}`, sessionId),
    });
  }

  /** @throws {AccountGoneError} */
  async function accountOf(request: FastifyRequest): Promise<SignInAccount & { readonly owner: FactorOwner }> {
    const { audience: named, subject } = request.principal!;
    const audience = named === 'admin' ? 'admin' : 'app';
    const account = await findAccount(audience, subject);
    if (account === null || account.disabled) throw new AccountGoneError();
    return { ...account, owner: { audience, subject, username: account.name } };
  }

  const policyOf = ({ audience }: FactorOwner) => (audience === 'admin' ? app.loginPolicy : app.appLoginPolicy);

  /** The whitelist holds for the whole sign-in of an administrator, and not for its first step alone. */
  async function checkAddress({ audience }: FactorOwner, { clientIp }: FastifyRequest): Promise<void> {
    if (audience !== 'admin') return;
    if (excludesCaller(await app.systemParameters.read(loginPolicyParameters), clientIp)) {
      throw new LoginIpRefusedError();
    }
  }

  /**
   * Opens the full session in place of the pending one, in one write. An end of all sessions has ended the pending one,
   * so no second step completes it. The account is read again after that write, and so is the factor: who has just
   * replaced or removed it ended the sessions that it opened, and this one comes after them.
   */
  async function complete(request: FastifyRequest, factorId: string, deviceToken?: string): Promise<SignedIn> {
    const { subject, sessionId, terminal = '' } = request.principal!;
    const { clientIp, headers } = request;
    const account = await accountOf(request);
    const { owner, name, passwordHash } = account;
    await checkAddress(owner, request);
    const policy = policyOf(owner);
    let nextDeviceToken: string | undefined;
    const { token, expiresAt } = await replaceSession(app, request, {
      replaces: sessionId,
      subject,
      audience: owner.audience,
      terminal,
      clientIp,
      userAgent: headers['user-agent'] ?? '',
      proof: { method: FACTOR_PROOF },
      async confirm() {
        // Before the account is read, as in the sign-in without a factor.
        if (passwordHash !== null) {
          nextDeviceToken = await policy.issueDeviceToken({ username: name, terminal, replaces: deviceToken });
        }
        const present = await findAccount(owner.audience, subject);
        const isSame = present !== null && !present.disabled && present.passwordHash === passwordHash;
        return isSame && (await secondFactors.has(owner, factorId));
      },
    });
    await app.signInNotes.note(request, owner.audience, subject);
    // Now the password and the factor were right. A code of a message says nothing of guessed passwords.
    if (request.principal!.proof?.method === 'password')
      await policy.succeed({ username: name, terminal, clientIp, deviceToken });
    return {
      ...{ token, tokenType: 'Bearer', expiresAt },
      ...(owner.audience === 'admin' ? { username: name } : { mobile: name }),
      ...(nextDeviceToken !== undefined && { deviceToken: nextDeviceToken }),
    };
  }

  /** Whether the password is right, and may stand for a factor because the account needs none. */
  async function isPassword(request: FastifyRequest, password: string, deviceToken?: string): Promise<boolean> {
    const { owner, name, passwordHash } = await accountOf(request);
    const { mode } = await secondFactors.policyOf(owner.audience);
    if (passwordHash === null || (mode !== 'OFF' && (await secondFactors.kindsOf(owner)).length > 0)) return false;
    const { clientIp, principal } = request;
    const subject = { username: name, terminal: principal?.terminal ?? '', clientIp, deviceToken, request };
    // It counts as a sign-in: a stolen session gives no additional guesses.
    const verified = await policyOf(owner).attempt(subject, () =>
      passwords.verify(password, passwordHash, counterKey(clientIp)),
    );
    return verified !== null;
  }

  return {
    complete,

    /** The step that the sign-in of an account lacks after its password or code. Null: none. */
    async missingStep(owner: FactorOwner): Promise<MissingStep | null> {
      const { mode } = await secondFactors.policyOf(owner.audience);
      if (mode === 'OFF') return null;
      const kinds = [...(await secondFactors.kindsOf(owner))];
      if (kinds.length > 0) return { purpose: SECOND_STEP, secondFactor: { kinds, mustEnrol: false } };
      return mode === 'OPTIONAL' ? null : { purpose: ENROLMENT, secondFactor: { kinds, mustEnrol: true } };
    },

    /**
     * Proves a factor in a pending session, and opens the full one.
     *
     * @throws {SecondFactorFailedError}
     */
    async completeBy(request: FastifyRequest, proof: PresentedProof, deviceToken?: string): Promise<SignedIn> {
      const { owner, name } = await accountOf(request);
      // As at the first step, where a search looks for it. The number of an app user is masked.
      request.audit?.set({ target: owner.audience === 'admin' ? name : owner.subject });
      await checkAddress(owner, request);
      const factorId = proof.kind === 'password' ? null : await secondFactors.verify(owner, proof, request);
      if (factorId === null) throw new SecondFactorFailedError();
      return complete(request, factorId, deviceToken);
    },

    /**
     * Proves a factor, or the password without one, in a full session. Resolves to the time until which the proof
     * allows sensitive operations. Five failures in a row end the session.
     *
     * @throws {SecondFactorFailedError}
     * @throws {SessionRevokedError} if this was the last of so many failures
     */
    async stepUp(request: FastifyRequest, proof: PresentedProof, deviceToken?: string): Promise<number> {
      const { owner } = await accountOf(request);
      await failedStepUps.attempt(request, async () =>
        proof.kind === 'password'
          ? isPassword(request, proof.password, deviceToken)
          : (await secondFactors.verify(owner, proof, request)) !== null,
      );
      const method = proof.kind === 'password' ? 'password' : FACTOR_PROOF;
      const provenAt = now();
      if (!(await app.authTokens.prove(request.principal!.sessionId, method))) throw new SessionRevokedError();
      const { stepUpMinutes } = await secondFactors.policyOf(owner.audience);
      return provenAt + stepUpMinutes * 60_000;
    },

    /** The challenge for a passkey. Null: the account has none. */
    async challenge(request: FastifyRequest) {
      const { owner } = await accountOf(request);
      return secondFactors.beginPasskey(owner, request.principal?.purpose === SECOND_STEP ? 'sign-in' : 'step-up');
    },
  };
}
