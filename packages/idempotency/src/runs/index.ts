export { deferRun } from './deferred-run.js';
export {
  type CompleteWithinOptions,
  createIdempotentRuns,
  type IdempotentRuns,
  type Outcome,
  type Run,
} from './idempotent-runs.js';
