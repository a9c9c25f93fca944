import { requireFreeNames, requireScope } from '@sallyport/plugin-kit/routes';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { LoginLockedError, LoginPolicySetupError, LoginPolicyUnavailableError } from './errors.js';
import { type LoginAttempts, openLoginAttempts } from './login-attempts.js';
import { type LoginPolicyPluginOptions, readPluginOptions } from './options.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Admits sign-ins, counts their failures, and locks. */
    readonly loginPolicy: LoginAttempts;
  }
}

async function loginPolicyPlugin(fastify: FastifyInstance, given: LoginPolicyPluginOptions): Promise<void> {
  const { scope, ...options } = readPluginOptions(given);
  const place = { subject: 'login-policy', SetupError: LoginPolicySetupError, scope };
  requireScope(fastify, place);
  requireFreeNames(fastify, place, { fastify: ['loginPolicy'] });
  const losses = 'a restart forgets failures and locks, and each process counts on its own, so that guesses go on';
  warnOfMemoryStore({ subject: 'login-policy', store: options.store, losses }, fastify.log);
  const engine = openLoginAttempts({ ...options, log: options.log ?? fastify.log });

  // Until this is fixed nobody can sign in, and the application's error handler may hide the reason.
  function logUnavailable(error: unknown): never {
    if (error instanceof LoginPolicyUnavailableError) fastify.log.error({ err: error }, 'The login policy is unusable');
    throw error;
  }

  fastify.decorate('loginPolicy', {
    attempt: (subject, verify, own) => engine.attempt(subject, verify, own).catch(logUnavailable),
    succeed: (subject) => engine.succeed(subject).catch(logUnavailable),
    clear: engine.clear,
    clearAddress: engine.clearAddress,
    issueDeviceToken: engine.issueDeviceToken,
    forgetDevices: engine.forgetDevices,
    explain: (input) => engine.explain(input).catch(logUnavailable),
  } satisfies LoginAttempts);

  // Fastify's own error handler sets `error.headers`, but the application may have another one.
  fastify.addHook('onError', function sendRetryAfter(_request, reply, error, done) {
    if (error instanceof LoginLockedError) reply.headers(error.headers);
    done();
  });
}

/**
 * Decorates `fastify.loginPolicy`. Its one hook sets `retry-after` on the reply of a lock.
 *
 * @example
 * ```ts
 * const app = Fastify();
 * await app.register(loginPolicy, { store: createMemoryStore(), policy: { failureCount: 5, lockSeconds: 600 } });
 *
 * app.post<{ Body: Record<string, string> }>('/login', { schema: { body } }, async (request, reply) => {
 *   const { username = '', password = '' } = request.body;
 *   const user = await app.loginPolicy.attempt({ username, terminal: 'web', clientIp: request.ip }, async () => {
 *     const { salt, hash } = users.get(username) ?? nobody;
 *     return timingSafeEqual(scryptSync(password, salt, 32), hash) && { username };
 *   });
 *   return user ?? reply.code(401).send({ message: 'Wrong name or password' });
 * });
 * ```
 */
export const loginPolicy = fp(loginPolicyPlugin, { fastify: '5.x', name: '@sallyport/login-policy' });
