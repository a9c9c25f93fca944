import type { FactorKind } from './records/index.js';

/** Why a factor was refused. For a security log, not for the client. */
export type FactorRefusal =
  /** The account has no such factor. */
  | 'not-enrolled'
  /** A wrong code or signature, a wrong origin, a user that was not verified. */
  | 'wrong'
  /** The code of this step, or of a later one, was used before: a stranger may have read it. */
  | 'used'
  /** The challenge or the enrolment is unknown, used, expired, or of another account or purpose. */
  | 'expired'
  /** The signature counter of a passkey did not grow. */
  | 'cloned';

/** An event for a security log. */
export interface FactorRefusedEvent {
  readonly type: 'factor-refused';
  readonly principal: string;
  readonly kind: FactorKind;
  readonly reason: FactorRefusal;
  /** The passkey that answered, if the account has it. */
  readonly factorId?: string;
}

/** Receives each refusal, and is awaited. A rejection is logged; it changes nothing. */
export type FactorListener = (event: FactorRefusedEvent) => void | Promise<void>;

/** The part of a logger that is needed; `app.log` and any pino logger have it. */
export interface SecondFactorLog {
  error(details: object, message: string): void;
}

/** Returns the function that reports a refusal and resolves to null. */
export function createRefuser(onEvent: FactorListener, log: SecondFactorLog | null) {
  return async function refuse(event: Omit<FactorRefusedEvent, 'type'>): Promise<null> {
    try {
      await onEvent({ type: 'factor-refused', ...event });
    } catch (err) {
      log?.error({ err }, 'an event of a second factor was not received');
    }
    return null;
  };
}
