export { deferRun } from './deferred-run.js';
export {
  createIdempotentRuns,
  type IdempotentRuns,
  type Outcome,
  type Run,
} from './idempotent-runs.js';
