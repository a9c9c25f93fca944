import {
  type LoginPolicyEvent,
  type LoginPolicyOptions,
  loginPolicy,
  loginPolicyParameters,
} from '@sallyport/login-policy';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** The login policy with the parameters that are in force. Name and terminal stay out of the log: people type passwords into the wrong field. */
async function signInPolicyPlugin(app: FastifyInstance, { store }: Pick<LoginPolicyOptions, 'store'>): Promise<void> {
  await app.register(loginPolicy, {
    store,
    policy: () => app.systemParameters.read(loginPolicyParameters),
    terminals: ['web'],
    onEvent(event: LoginPolicyEvent) {
      if (event.type !== 'locked') return;
      const { counter, lockedUntil, subject } = event;
      app.log.warn({ counter, lockedUntil, clientIp: subject.clientIp }, 'sign-in locked');
    },
  });
}

export const signInPolicy = fp(signInPolicyPlugin, {
  fastify: '5.x',
  name: 'sign-in-policy',
  decorators: { fastify: ['systemParameters'] },
});
