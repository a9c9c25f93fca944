import { counterKey } from '@sallyport/client-ip';
import { excludesCaller, LoginIpRefusedError, loginPolicyParameters } from '@sallyport/login-policy';
import { systemParameters as storedParameters } from '@sallyport/system-parameters/postgres';
import { and, eq } from 'drizzle-orm';
import { Type } from 'typebox';
import type { Config } from '../../config/config.js';
import { exactlyOnce } from '../../http/exactly-once.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { displayName } from '../../http/name-schemas.js';
import { publicWithLimit } from '../../protection/rate-limits.js';
import { type Changes, runChangeOf } from '../../storage/changes.js';
import type { Queries } from '../../storage/database.js';
import { newUsername } from '../administrators/index.js';
import { CaptchaInvalidError, captchaAnswer, type PurposeCaptchas } from '../captcha/index.js';
import { checkNewPassword, type PasswordHashing } from '../passwords/index.js';
import { RegistrationClosedError } from './errors.js';
import { registrationParameters } from './parameters.js';
import { register } from './registration.js';
import { credentialsOf } from './routes.js';

export interface RegistrationRouteDependencies {
  readonly config: Pick<Config, 'admin.auth.terminals' | 'rate-limit.registration.max-requests'>;
  readonly changes: Changes;
  readonly passwords: Pick<PasswordHashing, 'hash'>;
  readonly captchas: Pick<PurposeCaptchas, 'isAnswered'>;
}

const registered = Type.Object(
  { username: Type.String(), displayName: Type.String() },
  { title: 'RegisteredAdministrator' },
);

const isOpen = and(eq(storedParameters.key, registrationParameters.enabled.key), eq(storedParameters.value, 'true'));

/** It may have been closed while the body arrived. A change that closes it at this moment is waited for, or waits. */
async function assertOpen(transaction: Queries): Promise<void> {
  const open = transaction.select({ key: storedParameters.key }).from(storedParameters).where(isOpen).for('share');
  if ((await open).length === 0) throw new RegistrationClosedError();
}

/** `POST /admin/auth/register` (USR-3). Public. Closed unless an administrator has opened it. */
export async function registrationRoute(
  app: App,
  { config, changes, passwords, captchas }: RegistrationRouteDependencies,
): Promise<void> {
  const newAccount = Type.Object(
    {
      ...credentialsOf(config),
      username: newUsername,
      displayName,
      ...captchaAnswer,
    },
    { title: 'Registration', additionalProperties: false, anyOf: [{ required: ['code'] }, { required: ['proof'] }] },
  );

  /** Runs after the rate limit and before the body is read. */
  async function refuseClosedRegistration(): Promise<void> {
    const { enabled } = await app.systemParameters.read(registrationParameters);
    if (!enabled) throw new RegistrationClosedError();
  }

  app.post(
    '/admin/auth/register',
    {
      config: {
        ...publicWithLimit(config['rate-limit.registration.max-requests']),
        captcha: true,
        audit: { action: 'administrator.register', changes: 'in-handler' },
        ...exactlyOnce,
      },
      schema: { body: newAccount, response: { 201: oneOf(registered) } },
      preParsing: refuseClosedRegistration,
    },
    async function registerAccount(request, reply) {
      const { body, clientIp } = request;
      request.audit?.set({ target: body.username });
      // Clients outside the whitelist could not use an account.
      const policy = await app.systemParameters.read(loginPolicyParameters);
      if (excludesCaller(policy, clientIp)) throw new LoginIpRefusedError();
      // Before the captcha: who has to choose another password does not answer a second one.
      await checkNewPassword(app, body.password, { username: body.username });
      if (!(await captchas.isAnswered('register', body, clientIp))) throw new CaptchaInvalidError();
      const run = runChangeOf(changes, request);
      const runChange: typeof run = (work) =>
        run(async (transaction, record) => {
          await assertOpen(transaction);
          return work(transaction, record);
        });
      const data = await register({ runChange, passwords }, body, counterKey(clientIp));
      return reply.code(201).send({ data });
    },
  );
}
