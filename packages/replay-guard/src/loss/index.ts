export type { LossReason, ReplayGuardEvent, ReplayGuardState } from './events.js';
export { type ClaimVerdict, createMarkedClaim } from './marked-claim.js';
export type { Witness } from './witness.js';
