import type { Exchange, Sent } from './delivery.js';
import { type Decision, decisionOf, STAGES, type Stage } from './stages.js';

/**
 * What is known of one stage. `skipped`: it has nothing to do for this request. `unknown`: the answer does not say.
 * `waiting`: nothing was sent yet.
 */
export type StageState = 'passed' | 'refused' | 'unreached' | 'skipped' | 'unknown' | 'waiting';

/** One stage, over all copies of a request. */
export interface StageReport {
  readonly stage: Stage;
  readonly state: StageState;
  /** How many copies ended here. */
  readonly refused: number;
}

/** What the answers say of each stage, in the processing order. */
export function trackOf(exchanges: readonly Exchange[], windowSeconds: number): readonly StageReport[] {
  const tracks = exchanges.map((exchange) => ({ exchange, decision: decisionOf(exchange, windowSeconds) }));
  return STAGES.map((stage) => {
    const states = tracks.map(({ exchange, decision }) => stateOf(stage, exchange, decision));
    return { stage, state: strongest(states), refused: states.filter((state) => state === 'refused').length };
  });
}

/** The track of a request that was not sent yet. */
export function waitingTrack(sent: Sent): readonly StageReport[] {
  return STAGES.map((stage) => ({ stage, state: applies(stage, sent) ? 'waiting' : 'skipped', refused: 0 }));
}

const BY_STRENGTH: readonly StageState[] = ['passed', 'refused', 'unknown', 'waiting', 'unreached', 'skipped'];

/** Of several copies, the one that came furthest has the state. */
function strongest(states: readonly StageState[]): StageState {
  return BY_STRENGTH.find((state) => states.includes(state)) ?? 'unknown';
}

/** Whether a stage has something to do for a request, when nothing was refused before. */
function applies(stage: Stage, { request, envelope }: Sent): boolean {
  switch (stage) {
    case 'queryOpening':
      return envelope?.carrier === 'query';
    case 'bodyOpening':
      return request.body !== '';
    case 'policy':
    case 'replay':
    case 'sealing':
      return envelope !== null;
    case 'idempotency':
      return request.idempotencyKey !== null;
    default:
      return true;
  }
}

function stateOf(stage: Stage, { sent, answer }: Exchange, decision: Decision): StageState {
  const isSealed = answer.kind === 'answered' && answer.isSealed;
  if (decision.kind === 'refused' && decision.stage === stage) return 'refused';
  if (!applies(stage, sent)) return 'skipped';
  if (stage === 'sealing' && decision.kind !== 'unknown') return isSealed ? 'passed' : 'unreached';
  if (decision.kind === 'executed') return 'passed';
  if (decision.kind === 'unknown' || decision.stage === null) {
    // Only what the replay guard has counted is answered sealed.
    return isSealed && isBefore(stage, 'content') ? 'passed' : 'unknown';
  }
  // A query envelope that does not open counts against the rate limit, and is refused behind it.
  if (stage === 'rateLimit' && decision.stage === 'queryOpening') return 'passed';
  // The other way round, 429 hides whether the envelope opened.
  if (stage === 'queryOpening' && decision.stage === 'rateLimit') return 'unknown';
  return isBefore(stage, decision.stage) ? 'passed' : 'unreached';
}

function isBefore(stage: Stage, other: Stage): boolean {
  return STAGES.indexOf(stage) < STAGES.indexOf(other);
}
