import { type App, defineModule } from '../../http/module.js';
import { signInOperations } from './docs.js';
import { registrationParameterTable } from './parameters.js';
import { type RegistrationRouteDependencies, registrationRoute } from './registration-route.js';
import { adminSignInRoutes, type SignInRouteDependencies } from './routes.js';

export { LoginFailedError } from './errors.js';
export { registrationParameters } from './parameters.js';
export { missingFactor, pendingDetail } from './routes.js';

export const signIn = defineModule({
  name: 'sign-in',
  parameters: [registrationParameterTable],
  tags: { 'Administrator sign-in': 'Captcha, sign-in, registration, and the limits of failed attempts.' },
  operations: signInOperations,
  async routes(app: App, dependencies: SignInRouteDependencies & RegistrationRouteDependencies) {
    await adminSignInRoutes(app, dependencies);
    await registrationRoute(app, dependencies);
  },
});
