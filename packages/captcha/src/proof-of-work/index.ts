export {
  challengeOf,
  PROOF_OF_WORK_DEFAULTS,
  type ProofOfWorkParameters,
  proofOfWorkRule,
} from './parameters.js';
export { evaluationOf, isRight, MAX_COUNTER, type ProofOfWorkChallenge, VALUE_BYTES } from './puzzle.js';
export { createVerifications, isProof, type Verifications } from './verification.js';
