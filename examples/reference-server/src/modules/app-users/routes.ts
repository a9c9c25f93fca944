import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import type { ReadableDatabase } from '../../storage/database.js';
import type { Notifications } from '../notifications/index.js';
import { type AppUserAdministrationDependencies, appUserAdministrationRoutes } from './administration-routes.js';
import { createAppUsers, withoutNewUsers } from './app-users.js';
import { type AppProfileDependencies, appProfileRoutes } from './profile-routes.js';
import { type AppRecoveryRouteDependencies, appRecoveryRoute } from './recovery-route.js';
import { type AppSignInRouteDependencies, appSignInRoutes } from './sign-in-routes.js';

/** The dependencies without those that the routes below create. */
type Given = Omit<
  AppSignInRouteDependencies & AppProfileDependencies & AppRecoveryRouteDependencies,
  'users' | 'canSend' | 'config'
>;

export interface AppUserDependencies extends Given {
  readonly config: AppSignInRouteDependencies['config'] &
    AppUserAdministrationDependencies['config'] &
    AppRecoveryRouteDependencies['config'] &
    Pick<Config, 'safe-mode'>;
  readonly database: ReadableDatabase;
  readonly access: AppUserAdministrationDependencies['access'];
  readonly notifications: Pick<Notifications, 'sender'>;
}

/** Registers the routes for app users and for their administration. */
export async function appUserRoutes(app: App, dependencies: AppUserDependencies): Promise<void> {
  const { config, database, changes, access, notifications } = dependencies;
  const everybody = createAppUsers(database);
  const users = config['safe-mode'] ? withoutNewUsers(everybody) : everybody;
  await appSignInRoutes(app, { ...dependencies, users, canSend: notifications.sender !== null });
  await appRecoveryRoute(app, { ...dependencies, users });
  await appProfileRoutes(app, { ...dependencies, users });
  await appUserAdministrationRoutes(app, { config, database, changes, access });
}
