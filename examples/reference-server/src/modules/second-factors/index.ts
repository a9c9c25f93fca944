import { defineModule } from '../../http/module.js';
import { factorParameterTables } from './parameters.js';

export type { FactorOwner } from './owner.js';
export { type FactorPolicy, factorParameters, factorPolicyOf } from './parameters.js';
export { isEnrolledQuery } from './presence.js';
export {
  type FactorParts,
  type FactorProof,
  type FactorPurpose,
  openSecondFactors,
  type PasskeyOptions,
  type SecondFactorService,
} from './service.js';

export const secondFactors = defineModule({
  name: 'second-factors',
  parameters: factorParameterTables,
});
