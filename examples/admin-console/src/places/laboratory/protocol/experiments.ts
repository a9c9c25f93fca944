import type { Exchange } from './delivery.js';
import type { Flippable } from './envelope.js';
import type { PlainRequest, RequestName } from './requests.js';

/** What can be done with a request, in the order of the buttons. */
export const EXPERIMENTS = ['send', 'again', 'retry', 'change', 'flip', 'clock', 'drop', 'copies'] as const;
export type ExperimentName = (typeof EXPERIMENTS)[number];

/** What ten copies have in common: their envelope, or only their idempotency key. */
export type CopiesOf = 'envelope' | 'key' | 'content';

/** An experiment with what the user chose for it. */
export type Experiment =
  | { readonly name: 'send' | 'again' | 'retry' | 'change' | 'drop' }
  | { readonly name: 'flip'; readonly part: Flippable }
  | { readonly name: 'clock'; readonly minutes: number }
  | { readonly name: 'copies'; readonly of: CopiesOf };

/** How many requests `copies` sends. */
export const COPIES = 10;

/** The clock can be moved by a day at most, in minutes. */
export const MAX_MINUTES = 1440;

/** Whole minutes, from what a field holds while it is typed into. Null: none yet, such as a sign alone. */
export function minutesOf(typed: number | string): number | null {
  const text = String(typed).trim();
  const minutes = Number(text);
  return text !== '' && Number.isInteger(minutes) && Math.abs(minutes) <= MAX_MINUTES ? minutes : null;
}

/** One experiment, and what became of its requests. */
export interface Run {
  readonly id: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly experiment: Experiment;
  readonly exchanges: readonly [Exchange, ...Exchange[]];
}

/** What decides whether an experiment is possible. */
export interface Situation {
  readonly isSealing: boolean;
  readonly request: RequestName;
  /** The last request of this kind. Null: none was sent yet. */
  readonly last: PlainRequest | null;
  /** Whether the service has taken a request with the key of the last one. */
  readonly isKeyTaken: boolean;
}

/** Why an experiment is not possible. */
export type Obstacle = 'noEnvelope' | 'nothingSent' | 'noKey' | 'keyNotTaken';

export function obstacleTo(name: ExperimentName, { isSealing, request, last, isKeyTaken }: Situation): Obstacle | null {
  switch (name) {
    case 'again':
      if (!isSealing) return 'noEnvelope';
      return last === null ? 'nothingSent' : null;
    case 'retry':
      if (request !== 'payment') return 'noKey';
      return last === null ? 'nothingSent' : null;
    case 'change':
      if (request !== 'payment') return 'noKey';
      if (last === null) return 'nothingSent';
      // Under a key that is free, the changed content would be paid.
      return isKeyTaken ? null : 'keyNotTaken';
    case 'flip':
    case 'clock':
      return isSealing ? null : 'noEnvelope';
    default:
      return null;
  }
}

/** Whether an answer shows that the service has taken the key of its request. */
export function hasTakenKey({ answer }: Exchange): boolean {
  if (answer.kind !== 'answered') return false;
  return answer.status < 400 || answer.code?.startsWith('IDEMPOTENCY_') === true;
}

/** The kinds of copies that are possible, the most telling first. */
export function copiesOf({ isSealing, request }: Pick<Situation, 'isSealing' | 'request'>): readonly CopiesOf[] {
  const others: readonly CopiesOf[] = request === 'payment' ? ['key'] : ['content'];
  return isSealing ? ['envelope', ...others] : others;
}
