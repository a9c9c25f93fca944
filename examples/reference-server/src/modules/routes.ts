import { createAuditReader } from '@sallyport/audit-log/postgres';
import { publicKeyRoute } from '@sallyport/envelope-crypto';
import type { App } from '../app.js';
import type { Config } from '../config/config.js';
import type { Database } from '../storage/database.js';
import { createAdministration } from './administrators/administration.js';
import type { Administrators } from './administrators/administrators.js';
import { administratorRoutes } from './administrators/routes.js';
import { createAppUserAdministration } from './app-users/administration.js';
import { createAppUsers, withoutNewUsers } from './app-users/app-users.js';
import { appProfileRoutes } from './app-users/profile-routes.js';
import { appUserRoutes } from './app-users/routes.js';
import { appSignInRoutes } from './app-users/sign-in-routes.js';
import { auditRecordRoutes } from './audit-records/routes.js';
import type { Captchas } from './captcha/captchas.js';
import { fileRoutes } from './files/routes.js';
import { uploadSimulationRoute } from './files/upload-simulation.js';
import { healthRoutes } from './health/routes.js';
import { idempotencyKeyRoute } from './idempotency-keys/routes.js';
import { loginPolicyRoutes } from './login-policy/routes.js';
import { metricsRoute } from './metrics/routes.js';
import type { Notifications } from './notifications/notifications.js';
import { notificationRoutes } from './notifications/routes.js';
import type { SendLimits } from './one-time-codes/send-limits.js';
import type { SmsCodes } from './one-time-codes/sms-codes.js';
import { systemParameterRoutes } from './parameters/routes.js';
import type { PasswordHashing } from './passwords/password-hashing.js';
import { createPayments } from './payments/payments.js';
import { paymentRoutes } from './payments/routes.js';
import { ownPasswordRoute } from './profile/own-password-route.js';
import { profileRoutes } from './profile/routes.js';
import { createRoles } from './roles/roles.js';
import { roleRoutes } from './roles/routes.js';
import { sessionRoutes } from './sessions/routes.js';
import { registrationRoute } from './sign-in/registration-route.js';
import { adminSignInRoutes } from './sign-in/routes.js';
import { ticketRoute } from './tickets/routes.js';

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
