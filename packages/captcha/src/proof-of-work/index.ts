export {
  challengeOf,
  PROOF_OF_WORK_DEFAULTS,
  type ProofOfWorkParameters,
  proofOfWorkRule,
} from './parameters.js';
export { createVerifications, isProof } from './verification.js';
