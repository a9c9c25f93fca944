export { createKernelUnwraps, hasCoreForThread } from './kernel-unwraps.js';
export { createUnwrapPool } from './unwrap-pool.js';
export { requireUnwraps } from './worker-threads.js';
