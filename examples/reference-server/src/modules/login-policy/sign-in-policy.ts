import {
  createLoginAttempts,
  type LoginAttempts,
  LoginLockedError,
  type LoginPolicyEvent,
  type LoginPolicyOptions,
  loginPolicy,
  loginPolicyParameters,
} from '@sallyport/login-policy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** The same policy for app users, whose names are mobile numbers in E.164 (LGN-9). */
    readonly appLoginPolicy: LoginAttempts;
  }
}

/** What a route gives to `attempt` beside: the request whose record a lock belongs to. */
export interface AuditedSubject {
  readonly request: FastifyRequest;
}

/** What a locked client is told. */
const { code: LOCKED } = new LoginLockedError(1);

/** What the policy needs of the server. */
export interface SignInPolicyDependencies {
  readonly resources: { readonly stores: { readonly sessions: LoginPolicyOptions['store'] } };
}

/**
 * The login policy with the parameters that are in force. Name and terminal stay out of the log: people type passwords
 * into the wrong field.
 */
async function signInPolicyPlugin(app: FastifyInstance, { store }: Pick<LoginPolicyOptions, 'store'>): Promise<void> {
  const readPolicy = () => app.systemParameters.read(loginPolicyParameters);
  // Failures and refusals are the records of the sign-ins themselves; a lock is a thing of its own (AUD-1).
  async function onEvent(event: LoginPolicyEvent): Promise<void> {
    if (event.type !== 'locked') return;
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
  }
  await app.register(loginPolicy, { store, policy: readPolicy, terminals: ['web'], onEvent });
  // In the same store under the same prefix: failures of one address count together, whichever way they come.
  const attempts = createLoginAttempts({
    store,
    terminals: ['app'],
    onEvent,
    // The whitelist is one of administrators.
    policy: async () => ({ ...(await readPolicy()), ipWhitelistEnabled: false }),
  });
  app.decorate('appLoginPolicy', attempts);
}

export const signInPolicy = fp(signInPolicyPlugin, {
  fastify: '5.x',
  name: 'sign-in-policy',
  decorators: { fastify: ['systemParameters', 'metrics'] },
});
