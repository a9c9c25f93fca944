import type { Exchange } from './delivery.js';
import { isExpired, isRefusalCode, type RefusalCode } from './stages.js';

/** The outcome of a request, as a sentence explains it. One code has two reasons: the service's clock shows which. */
export type Outcome =
  | 'read'
  | 'written'
  | 'expired'
  | 'replayed'
  | 'lost'
  | 'untrusted'
  | 'other'
  | Exclude<RefusalCode, 'ENVELOPE_EXPIRED_OR_REPLAYED'>;

export function outcomeOf(exchange: Exchange, windowSeconds: number): Outcome {
  const { answer, sent } = exchange;
  if (answer.kind !== 'answered') return answer.kind;
  if (answer.status < 400) return sent.request.idempotencyKey === null ? 'read' : 'written';
  const { code } = answer;
  if (code === null || !isRefusalCode(code)) return 'other';
  if (code === 'ENVELOPE_EXPIRED_OR_REPLAYED') return isExpired(exchange, windowSeconds) ? 'expired' : 'replayed';
  return code;
}

/** Copies with one outcome. */
export interface OutcomeCount {
  readonly outcome: Outcome;
  readonly exchanges: readonly [Exchange, ...Exchange[]];
}

/** The outcomes of copies, the executed ones first, then by number. */
export function countOutcomes(exchanges: readonly Exchange[], windowSeconds: number): readonly OutcomeCount[] {
  const counts = new Map<Outcome, [Exchange, ...Exchange[]]>();
  for (const exchange of exchanges) {
    const outcome = outcomeOf(exchange, windowSeconds);
    const counted = counts.get(outcome);
    if (counted === undefined) counts.set(outcome, [exchange]);
    else counted.push(exchange);
  }
  const found = Array.from(counts, ([outcome, counted]) => ({ outcome, exchanges: counted }));
  return found.sort((one, other) => rankOf(other) - rankOf(one));
}

function rankOf({ outcome, exchanges }: OutcomeCount): number {
  return outcome === 'read' || outcome === 'written' ? Number.POSITIVE_INFINITY : exchanges.length;
}
