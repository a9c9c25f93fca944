import { type App, defineModule, notCommitted } from '../../http/module.js';
import { profileOperations } from './docs.js';
import { ownPasswordRoute, type ProfileDependencies, profileRoutes } from './routes.js';

export const profile = defineModule({
  name: 'profile',
  outcomes: { 'password.change': notCommitted },
  tags: { 'Own account': 'What administrators see and change of themselves.' },
  operations: profileOperations,
  async routes(app: App, dependencies: ProfileDependencies) {
    await profileRoutes(app, dependencies);
    await ownPasswordRoute(app, dependencies);
  },
});
