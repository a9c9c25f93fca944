export type { ReplayGuardOptions, ReplayGuardPluginOptions } from './options.js';
export { type ClaimableEnvelope, createReplayGuard, type ReplayGuard } from './replay-guard.js';
