import {
  createLoginAttempts,
  type IsFailure,
  type LoginAttempts,
  LoginLockedError,
  type LoginPolicyEvent,
  type LoginPolicyOptions,
  loginPolicy,
  loginPolicyParameters,
} from '@sallyport/login-policy';
import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { isDatabaseUnavailable } from '../../storage/database.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import { policyOptions } from './policies.js';
import { createPresentLocks, type LockedAccounts, type PresentLocks } from './present-locks.js';
import type { Policies, TerminalSettings } from './terminals.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The same policy for app users, whose names are mobile numbers in E.164 (LGN-9). */
    readonly appLoginPolicy: LoginAttempts;
    /** The locks in force. */
    readonly presentLocks: PresentLocks;
  }
}

/** The additional argument of `attempt`: the request whose audit record reports a lock. */
export interface AuditedSubject {
  readonly request: FastifyRequest;
}

/** The code that a locked client receives. */
const { code: LOCKED } = new LoginLockedError(1);

/** Refusals that say nothing about the password. */
const IRRELEVANT = [PasswordHashingBusyError, DatabaseUnavailableError];

/**
 * A sign-in that a queue or a database refuses does not use up an attempt (ADP-6). This gives no free guess, because a
 * sign-in with a wrong password resolves to null even if the database fails after the comparison.
 */
const isFailure: IsFailure = ({ error }) =>
  isDatabaseUnavailable(error) || IRRELEVANT.some((kind) => error instanceof kind) ? false : undefined;

/** The dependencies of the policy. */
export interface SignInPolicyDependencies extends LockedAccounts {
  readonly config: TerminalSettings;
  readonly stores: { readonly sessions: LockStore };
}

type LockStore = LoginPolicyOptions['store'] & Pick<TtlStore, 'lists'>;

interface SignInPolicyOptions {
  readonly config: TerminalSettings;
  readonly store: LockStore;
  readonly accounts: LockedAccounts;
}

/**
 * The login policy with the current parameters. The log contains neither name nor terminal, because people type
 * passwords into the wrong field.
 */
async function signInPolicyPlugin(
  app: FastifyInstance,
  { config, store, accounts }: SignInPolicyOptions,
): Promise<void> {
  const readPolicy = () => app.systemParameters.read(loginPolicyParameters);
  // The sign-ins record failures and refusals themselves. A lock is a separate event (AUD-1).
  const onEvent = (audience: keyof Policies) => async (event: LoginPolicyEvent) => {
    if (event.type !== 'locked') return;
    app.presentLocks
      .note(audience, event)
      .catch((err: unknown) => app.log.warn({ err }, 'a lock is missing in the list of locks'));
    const { counter, lockedUntil, subject, account } = event;
    app.metrics.noteLock(account.terminal);
    app.log.warn({ counter, lockedUntil, clientIp: subject.clientIp }, 'sign-in locked');
    const { request } = subject as Partial<AuditedSubject>;
    await request?.audit?.record({
      action: 'auth.lock',
      target: account.username,
      outcome: 'refused',
      reason: LOCKED,
      detail: { counter, lockedUntil, terminal: account.terminal },
    });
  };
  const options = policyOptions({ config, store, readPolicy });
  await app.register(loginPolicy, { ...options.admin, onEvent: onEvent('admin'), isFailure });
  app.decorate(
    'appLoginPolicy',
    createLoginAttempts({ ...options.app, onEvent: onEvent('app'), isFailure, log: app.log }),
  );
  app.decorate(
    'presentLocks',
    createPresentLocks(store, { admin: app.loginPolicy, app: app.appLoginPolicy }, accounts),
  );
}

export const signInPolicy = fp(signInPolicyPlugin, {
  fastify: '5.x',
  name: 'sign-in-policy',
  decorators: { fastify: ['systemParameters', 'metrics'] },
});
