export { deferRun } from './deferred-run.js';
export {
  createIdempotentRuns,
  type IdempotentRuns,
  type Outcome,
  type Run,
  type Settlement,
} from './idempotent-runs.js';
