import { createAuditReader } from '@sallyport/audit-log/postgres';
import { publicKeyRoute } from '@sallyport/envelope-crypto';
import type { App } from '../app.js';
import type { Config } from '../config.js';
import type { Database } from '../db/database.js';
import { createAdministration } from '../features/administrators/administration.js';
import type { Administrators } from '../features/administrators/administrators.js';
import { createRoles } from '../features/administrators/roles.js';
import { createAppUserAdministration } from '../features/app-users/app-user-administration.js';
import { createAppUsers, withoutNewUsers } from '../features/app-users/app-users.js';
import type { Captchas } from '../features/captcha/captchas.js';
import type { Notifications } from '../features/notification/notifications.js';
import type { PasswordHashing } from '../features/password/password-hashing.js';
import { createPayments } from '../features/payments/payments.js';
import type { SendLimits } from '../features/sms-codes/send-limits.js';
import type { SmsCodes } from '../features/sms-codes/sms-codes.js';
import { adminSignInRoutes } from './admin-sign-in.js';
import { administratorRoutes } from './administrators.js';
import { appProfileRoutes } from './app-profile.js';
import { appSignInRoutes } from './app-sign-in.js';
import { appUserRoutes } from './app-users.js';
import { auditRecordRoutes } from './audit-records.js';
import { fileRoutes } from './files.js';
import { healthRoutes } from './health.js';
import { idempotencyKeyRoute } from './idempotency-keys.js';
import { loginPolicyRoutes } from './login-policy.js';
import { metricsRoute } from './metrics.js';
import { notificationRoutes } from './notifications.js';
import { ownPasswordRoute } from './own-password.js';
import { paymentRoutes } from './payments.js';
import { profileRoutes } from './profile.js';
import { registrationRoute } from './registration.js';
import { roleRoutes } from './roles.js';
import { sessionRoutes } from './session.js';
import { systemParameterRoutes } from './system-parameters.js';
import { ticketRoute } from './tickets.js';
import { uploadSimulationRoute } from './upload-simulation.js';

/** What sign-in of app users is made of, beside what administrators have too. */
export interface AppSignInServices {
  readonly codes: SmsCodes;
  readonly limits: SendLimits;
  readonly notifications: Pick<Notifications, 'queue' | 'outbox' | 'sender'>;
}

export interface RoutesOptions extends AppSignInServices {
  readonly config: Config;
  readonly database: Database;
  readonly administrators: Administrators;
  readonly passwords: PasswordHashing;
  readonly captchas: Captchas;
}

/** Every endpoint of the server. */
export async function routes(
  app: App,
  { config, database, administrators, passwords, captchas, codes, limits, notifications }: RoutesOptions,
): Promise<void> {
  await app.register(healthRoutes);
  await app.register(metricsRoute);
  await app.register(publicKeyRoute);
  await app.register(adminSignInRoutes, { config, administrators, passwords, captchas });
  await app.register(registrationRoute, { config, database, passwords, captchas });
  await app.register(loginPolicyRoutes, { config });
  await app.register(profileRoutes, { administrators });
  await app.register(ownPasswordRoute, { administrators, passwords });
  const administration = createAdministration({
    database,
    endSessions: (subject, reason) => app.authTokens.revokeAll({ audience: 'admin', subject }, reason),
  });
  await app.register(sessionRoutes, { administration });
  await app.register(ticketRoute);
  await app.register(administratorRoutes, { administration, passwords });
  await app.register(roleRoutes, { roles: createRoles(database) });
  await app.register(systemParameterRoutes);
  await app.register(idempotencyKeyRoute);
  const allUsers = createAppUsers(database);
  const users = config['safe-mode'] ? withoutNewUsers(allUsers) : allUsers;
  const { queue, outbox, sender } = notifications;
  const canSend = sender !== null;
  await app.register(appSignInRoutes, { config, users, passwords, captchas, codes, limits, queue, canSend });
  await app.register(appProfileRoutes, { users, passwords, codes });
  const appUserAdministration = createAppUserAdministration({
    database,
    endSessions: (subject) => app.authTokens.revokeAll({ audience: 'app', subject }, 'ACCOUNT_DISABLED'),
  });
  await app.register(appUserRoutes, { config, administration: appUserAdministration });
  await app.register(notificationRoutes, { config, queue, outbox });
  await app.register(fileRoutes);
  await app.register(uploadSimulationRoute);
  await app.register(auditRecordRoutes, { auditReader: createAuditReader({ database: database.orm }) });
  await app.register(paymentRoutes, { payments: createPayments(database) });
}
