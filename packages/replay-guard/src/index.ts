export type { ClaimVerdict, LossReason, ReplayGuardEvent, ReplayGuardState, Witness } from './loss/index.js';
export {
  REPLAY_GUARD_DEFAULTS,
  type ReplayGuardOptions,
  type ReplayGuardPluginOptions,
  ReplayGuardSetupError,
} from './options.js';
export { replayGuard, replayGuard as default } from './plugin.js';
export { type ClaimableEnvelope, createReplayGuard, type ReplayGuard } from './replay-guard.js';
