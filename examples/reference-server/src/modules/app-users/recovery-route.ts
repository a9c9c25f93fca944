import { counterKey } from '@sallyport/client-ip';
import { Type } from 'typebox';
import type { Config } from '../../config/config.js';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import { exactlyOnce } from '../../http/exactly-once.js';
import type { App } from '../../http/module.js';
import { endAccess } from '../../protection/end-access.js';
import { publicWithLimit } from '../../protection/rate-limits.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import { CaptchaInvalidError, optionalCaptchaAnswer, type PurposeCaptchas } from '../captcha/index.js';
import { type SmsCodes, SmsCodeWrongError } from '../one-time-codes/index.js';
import {
  appRefusedCount,
  checkNewPassword,
  type KnownHashes,
  type PasswordHashing,
  password,
  readPasswordLimits,
  refuseReused,
} from '../passwords/index.js';
import type { AppUsers } from './app-users.js';
import { handle, mobile, readMobile, smsCode } from './mobile-request.js';
import { recoverPassword } from './recovery.js';

export interface AppRecoveryRouteDependencies {
  readonly config: Pick<Config, 'app.auth.default-region' | 'rate-limit.recovery.max-requests'>;
  readonly users: Pick<AppUsers, 'findByMobile' | 'knownHashes' | 'setPassword'>;
  readonly changes: Changes;
  readonly passwords: Pick<PasswordHashing, 'hash' | 'verify'>;
  readonly captchas: Pick<PurposeCaptchas, 'isAnswered'>;
  readonly codes: Pick<SmsCodes, 'check'>;
}

const recovery = Type.Object(
  { mobile, smsCode, newPassword: password, handle: Type.Optional(handle), ...optionalCaptchaAnswer },
  { title: 'PasswordRecovery', additionalProperties: false },
);

/**
 * `POST /app/auth/recoverPassword` (USR-5). Public. The answer is the same for a number without a user and for a
 * disabled user, and so is the work before it: only the holder of the number can learn that a code was right.
 */
export async function appRecoveryRoute(app: App, dependencies: AppRecoveryRouteDependencies): Promise<void> {
  const { config, users, changes, passwords, captchas, codes } = dependencies;

  /** The hashes of an enabled user, with which a new password is compared (PWD-7). */
  async function knownHashesOf(recipient: string): Promise<KnownHashes | null> {
    const user = await users.findByMobile(recipient);
    return user === null || user.disabled ? null : users.knownHashes(user.id);
  }

  app.post(
    '/app/auth/recoverPassword',
    {
      config: {
        ...publicWithLimit(config['rate-limit.recovery.max-requests']),
        captcha: true,
        ends: true,
        // The record is begun before the handler. If that fails, a client keeps its captcha and its code.
        audit: { action: 'password.recover' },
        ...exactlyOnce,
      },
      schema: { body: recovery, response: { 204: Type.Null() } },
      preValidation: ignoreEmptyMembers(recovery),
    },
    async function recoverAppPassword(request, reply) {
      const { body, clientIp } = request;
      const recipient = readMobile(request, config['app.auth.default-region']);
      // First: a client that has to choose another password keeps its captcha and its code.
      await checkNewPassword(app, body.newPassword, { mobile: recipient });
      if (!(await captchas.isAnswered('recover', body, clientIp))) throw new CaptchaInvalidError();
      const code = await codes.check({
        recipient,
        code: body.smsCode,
        handle: body.handle,
        clientIp,
        purpose: 'recover',
        // This request has already answered a captcha.
        hasCaptcha: () => true,
      });
      if (code === null) throw new SmsCodeWrongError();
      // After the code was checked, because the answer reveals a password, and before it is used up, as below.
      const client = counterKey(clientIp);
      const historyCount = appRefusedCount(await readPasswordLimits(app));
      const known = historyCount === 0 ? null : await knownHashesOf(recipient);
      if (known !== null) await refuseReused(passwords, body.newPassword, known, { count: historyCount, client });
      // Done before the code is used up, so that a client that has to come back later still has it.
      const passwordHash = await passwords.hash(body.newPassword, client);
      if (!(await code.redeem())) throw new SmsCodeWrongError();
      await recoverPassword(
        {
          users,
          runChange: runChangeOf(changes, request),
          endSessions: (subject) =>
            endAccess(app, request, { audience: 'app', subject, username: recipient }, 'PASSWORD_CHANGED'),
        },
        { mobile: recipient, passwordHash, historyCount, from: known?.passwordHash },
      );
      return reply.code(204).send(null);
    },
  );
}
