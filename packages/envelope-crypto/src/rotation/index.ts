export { describeFailure } from './describe-failure.js';
export { createKeyRing, type KeyRing, type Unwraps } from './key-ring.js';
export { createKeyRotation, type KeyRefreshFailure, type KeyRotation } from './key-rotation.js';
export { type CheckedKeySource, type KeySource, keySourceRule } from './key-source.js';
