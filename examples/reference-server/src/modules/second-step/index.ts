import { defineModule } from '../../http/module.js';
import { secondStepOperations } from './docs.js';
import { secondStepRoutes } from './routes.js';

export {
  createSecondStep,
  type MissingStep,
  type SecondStep,
} from './second-step.js';
export { factorDutyOf } from './session-duty.js';

export const secondStep = defineModule({
  name: 'second-step',
  tags: { 'Second step': 'The second factor of a sign-in, and the proof that sensitive operations need.' },
  operations: secondStepOperations,
  routes: secondStepRoutes,
});
