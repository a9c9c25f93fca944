import { publicKeyRoute } from '@sallyport/envelope-crypto';
import type { App } from '../app.js';
import type { Config } from '../config.js';
import { type Database, pingDatabase, withinLimit } from '../db/database.js';
import { createAdministration } from '../features/administrators/administration.js';
import type { Administrators } from '../features/administrators/administrators.js';
import { createRoles } from '../features/administrators/roles.js';
import type { Captchas } from '../features/captcha/captchas.js';
import type { PasswordHashing } from '../features/password/password-hashing.js';
import { createPayments } from '../features/payments/payments.js';
import { adminSignInRoutes } from './admin-sign-in.js';
import { administratorRoutes } from './administrators.js';
import { healthRoute } from './health.js';
import { idempotencyKeyRoute } from './idempotency-keys.js';
import { loginPolicyRoutes } from './login-policy.js';
import { ownPasswordRoute } from './own-password.js';
import { paymentRoutes } from './payments.js';
import { profileRoutes } from './profile.js';
import { registrationRoute } from './registration.js';
import { roleRoutes } from './roles.js';
import { sessionRoutes } from './session.js';
import { systemParameterRoutes } from './system-parameters.js';
import { ticketRoute } from './tickets.js';

export interface RoutesOptions {
  readonly config: Config;
  readonly database: Database;
  readonly administrators: Administrators;
  readonly passwords: PasswordHashing;
  readonly captchas: Captchas;
}

/** How long the health check waits for an answer, in milliseconds: whoever asks has little patience. */
const HEALTH_LIMIT_MILLIS = 1000;

/** Every endpoint of the server. */
export async function routes(
  app: App,
  { config, database, administrators, passwords, captchas }: RoutesOptions,
): Promise<void> {
  const checks = [
    () => pingDatabase(database, HEALTH_LIMIT_MILLIS),
    ...(app.hasDecorator('redis') ? [() => withinLimit(app.redis.ping(), HEALTH_LIMIT_MILLIS)] : []),
  ];
  await app.register(healthRoute, { checks });
  await app.register(publicKeyRoute);
  await app.register(adminSignInRoutes, { config, administrators, passwords, captchas });
  await app.register(registrationRoute, { config, database, passwords, captchas });
  await app.register(loginPolicyRoutes);
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
  await app.register(paymentRoutes, { payments: createPayments(database) });
}
