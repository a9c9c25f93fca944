export { createIdempotentRuns, type IdempotentRuns, type Outcome, type Run } from './idempotent-runs.js';
