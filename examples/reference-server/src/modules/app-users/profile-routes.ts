import { counterKey } from '@sallyport/client-ip';
import type { TtlStore } from '@sallyport/ttl-store';
import { Type } from 'typebox';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import { AccountGoneError } from '../../http/errors.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { displayName } from '../../http/name-schemas.js';
import { endAccess, endSessions } from '../../protection/end-access.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import { optionalCaptchaAnswer, type PurposeCaptchas } from '../captcha/index.js';
import { deviceToken } from '../login-policy/index.js';
import type { SmsCodes } from '../one-time-codes/index.js';
import {
  appRefusedCount,
  checkNewPassword,
  countPasswordChange,
  type PasswordHashing,
  password,
  passwordChangeLimit,
  readPasswordLimits,
} from '../passwords/index.js';
import { noteSessions, ofOwnAccount } from '../sessions/index.js';
import type { AppUser, AppUsers } from './app-users.js';
import { handle, smsCode } from './mobile-request.js';
import { setAppPassword } from './password.js';

export interface AppProfileDependencies {
  readonly users: AppUsers;
  readonly changes: Changes;
  readonly passwords: Pick<PasswordHashing, 'verify' | 'hash'>;
  readonly codes: Pick<SmsCodes, 'check'>;
  readonly captchas: Pick<PurposeCaptchas, 'isAnswered'>;
  readonly stores: { readonly sessions: Pick<TtlStore, 'increment'> };
}

const profile = Type.Object(
  { mobile: Type.String(), displayName: Type.String(), hasPassword: Type.Boolean() },
  { title: 'AppProfile' },
);

const changedProfile = Type.Object({ displayName }, { title: 'ChangedProfile', additionalProperties: false });

const passwordChange = Type.Object(
  {
    newPassword: password,
    oldPassword: Type.Optional(password),
    smsCode: Type.Optional(smsCode),
    handle: Type.Optional(handle),
    deviceToken: Type.Optional(deviceToken),
    ...optionalCaptchaAnswer,
  },
  {
    title: 'AppPasswordChange',
    additionalProperties: false,
    anyOf: [{ required: ['oldPassword'] }, { required: ['smsCode'] }],
  },
);

/** `GET` and `PUT /app/profile`, `PUT /app/profile/password`, `DELETE /app/sessions`: the app user's own account. */
export async function appProfileRoutes(
  app: App,
  { users, changes, passwords, codes, captchas, stores }: AppProfileDependencies,
): Promise<void> {
  const config = { access: 'app' as const, audit: 'profile' };

  app.get(
    '/app/profile',
    { config, schema: { response: { 200: oneOf(profile) } } },
    async function readAppProfile({ principal }) {
      return show(await users.findById(principal!.subject));
    },
  );

  app.put(
    '/app/profile',
    {
      config: { access: 'app', audit: { resource: 'profile', changes: 'in-handler' } },
      schema: {
        body: changedProfile,
        response: { 200: oneOf(profile) },
      },
    },
    async function changeAppProfile(request) {
      const { subject } = request.principal!;
      return changes.change({ request }, async (transaction) =>
        show(await users.rename(transaction, subject, request.body.displayName)),
      );
    },
  );

  app.put(
    '/app/profile/password',
    {
      config: {
        access: 'app',
        ends: true,
        beforePasswordChange: 'served',
        audit: { action: 'password.change' },
        rateLimit: passwordChangeLimit,
      },
      schema: { body: passwordChange, response: { 204: Type.Null() } },
      preValidation: ignoreEmptyMembers(passwordChange),
    },
    async function changeAppPassword(request, reply) {
      await countPasswordChange(stores.sessions, request);
      // Every session of a sign-in has its terminal.
      const { subject, terminal = '' } = request.principal!;
      const { clientIp } = request;
      const { newPassword, oldPassword, smsCode, handle, deviceToken } = request.body;
      function attempt(username: string, verify: () => Promise<boolean>) {
        const subject = { username, terminal, clientIp, deviceToken, request };
        return app.appLoginPolicy.attempt(subject, verify);
      }
      const runChange = runChangeOf(changes, request);
      const hasCaptcha = () => captchas.isAnswered('app-login', request.body, clientIp);
      const checkCode =
        smsCode === undefined
          ? undefined
          : (recipient: string) =>
              codes.check({ recipient, code: smsCode, handle, clientIp, purpose: 'recover', hasCaptcha });
      const checkNew = (chosen: string, owner: { readonly mobile: string }) => checkNewPassword(app, chosen, owner);
      const historyCount = appRefusedCount(await readPasswordLimits(app));
      await setAppPassword(
        {
          users,
          passwords,
          attempt,
          checkNew,
          historyCount,
          runChange,
          endSessions: (username) =>
            endAccess(app, request, { audience: 'app', subject, username }, 'PASSWORD_CHANGED'),
        },
        { id: subject, newPassword, oldPassword, checkCode, client: counterKey(clientIp) },
      );
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/app/sessions',
    {
      config: { access: 'app', stepUp: ofOwnAccount, ends: true, audit: { action: 'session.revoke' } },
      schema: { response: { 204: Type.Null() } },
      preHandler: async (request) => noteSessions(request, `app:${request.principal!.subject}`),
    },
    async function signOutEverywhere(request, reply) {
      const { audience, subject } = request.principal!;
      await endSessions(app, request, { audience, subject });
      return reply.code(204).send(null);
    },
  );
}

function show(user: AppUser | null) {
  if (user === null) throw new AccountGoneError();
  const { mobile, displayName, passwordHash } = user;
  return { data: { mobile, displayName, hasPassword: passwordHash !== null } };
}
