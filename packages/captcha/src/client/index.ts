export { CaptchaSolveError } from './errors.js';
export { type CaptchaToSolve, type SolveOptions, type SolveProgress, solve } from './solve.js';
export type { SolveWorker } from './solve-worker.js';
