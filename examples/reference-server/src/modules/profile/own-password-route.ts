import { counterKey } from '@sallyport/client-ip';
import { Type } from 'typebox';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import type { App } from '../../http/module.js';
import { endAccess } from '../../protection/end-access.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import type { Administrators } from '../administrators/index.js';
import { deviceToken } from '../login-policy/index.js';
import { checkNewPassword, type PasswordHashing, password } from '../passwords/index.js';
import { changeOwnPassword } from './own-password.js';

export interface OwnPasswordRouteDependencies {
  readonly administrators: Pick<Administrators, 'findById' | 'changePassword'>;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  readonly changes: Changes;
}

/** Password guesses per account and window, from all addresses. A stolen session must not reveal the password. */
const MAX_GUESSES = 10;
const GUESS_WINDOW_MILLIS = 15 * 60_000;

const passwordChange = Type.Object(
  {
    oldPassword: password,
    newPassword: password,
    deviceToken: Type.Optional(deviceToken),
  },
  { title: 'OwnPasswordChange', additionalProperties: false },
);

/** `PUT /admin/profile/password` (USR-2): ends every session of the account, including this one. */
export async function ownPasswordRoute(
  app: App,
  { administrators, passwords, changes }: OwnPasswordRouteDependencies,
): Promise<void> {
  app.put(
    '/admin/profile/password',
    {
      config: {
        access: 'admin',
        ends: true,
        audit: { action: 'password.change' },
        rateLimit: {
          max: MAX_GUESSES,
          timeWindow: GUESS_WINDOW_MILLIS,
          keyGenerator: (request) => request.principal!.subject,
        },
      },
      schema: { body: passwordChange, response: { 204: Type.Null() } },
      preValidation: ignoreEmptyMembers(passwordChange),
    },
    async function changePassword(request, reply) {
      // Every session that a sign-in opens has a terminal.
      const { subject, terminal = '' } = request.principal!;
      const { clientIp } = request;
      const { oldPassword, newPassword, deviceToken } = request.body;
      function attempt(username: string, verify: () => Promise<boolean>) {
        const subject = { username, terminal, clientIp, deviceToken, request };
        return app.loginPolicy.attempt(subject, verify);
      }
      const runChange = runChangeOf(changes, request);
      const endSessions = (username: string) =>
        endAccess(app, request, { audience: 'admin', subject, username }, 'PASSWORD_CHANGED');
      const checkNew = (chosen: string, owner: { readonly username: string }) => checkNewPassword(app, chosen, owner);
      await changeOwnPassword(
        { administrators, passwords, attempt, checkNew, runChange, endSessions },
        { id: subject, oldPassword, newPassword, client: counterKey(clientIp) },
      );
      return reply.code(204).send(null);
    },
  );
}
