import type { App } from '../../http/module.js';
import { defineModule } from '../../http/module.js';
import { signInOperations } from './docs.js';
import { registrationTable } from './parameters.js';
import { type RegistrationRouteDependencies, registrationRoute } from './registration-route.js';
import { adminSignInRoutes, type SignInRouteDependencies } from './routes.js';

export { LoginFailedError } from './errors.js';
export { registrationParameters } from './parameters.js';

export const signIn = defineModule({
  name: 'sign-in',
  parameters: [registrationTable],
  tags: { 'Administrator sign-in': 'Captcha, sign-in, registration, and the limits of failed attempts.' },
  operations: signInOperations,
  async routes(app: App, dependencies: SignInRouteDependencies & RegistrationRouteDependencies) {
    await adminSignInRoutes(app, dependencies);
    await registrationRoute(app, dependencies);
  },
});
