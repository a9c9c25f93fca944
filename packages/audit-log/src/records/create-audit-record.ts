import { type MaskLimits, maskLimitsRule, maskSensitive, storedTexts } from '@sallyport/masking';
import { objectWith, option, readOptions } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';
import type { AuditOutcome, AuditRecord } from './audit-record.js';
import { canonicalAddress } from './client-address.js';
import { summarizeException } from './exception-summary.js';
import { freezeRecord, isUuid, MAX_TIME } from './record-columns.js';

/** An event. Its texts may have any length and content, and may contain secrets. */
export interface AuditEvent {
  /** The action, such as `payment.create`. */
  readonly action: string;
  /** The actor. Default null. */
  readonly actor?: string | null;
  /** The target of the action. A finite number becomes its text. Default null. */
  readonly target?: string | number | null;
  /** Default `success`. */
  readonly outcome?: AuditOutcome;
  /** The code of the reason of a refusal or failure. Default null. */
  readonly reason?: string | null;
  /** The input of the operation: any value. Default null. */
  readonly parameters?: unknown;
  /** The time, in milliseconds since 1970. Default: the time of the {@link RecordOrigin}. */
  readonly occurredAt?: number;
  /** Default 0. */
  readonly durationMillis?: number;
  readonly clientIp?: string | null;
  readonly requestId?: string | null;
  readonly terminal?: string | null;
  readonly method?: string | null;
  /** The path without its query. */
  readonly path?: string | null;
  readonly userAgent?: string | null;
  /** The error. Its class and code are kept. */
  readonly exception?: unknown;
}

/** The longest texts of a record, in UTF-16 units. */
export const TEXT_LIMITS = {
  actor: 256,
  action: 128,
  target: 512,
  reason: 128,
  requestId: 128,
  terminal: 64,
  method: 32,
  path: 512,
  userAgent: 256,
  exception: 256,
} as const;

/** The largest PostgreSQL `integer`: 24 days. */
const MAX_DURATION_MILLIS = 2_147_483_647;

/** The values of a record in addition to its event. */
export interface RecordOrigin {
  /** A UUIDv7, such as one of `createRecordIds`. */
  readonly id: string;
  /** The time of the event, unless the event has one, in milliseconds since 1970. */
  readonly occurredAt: number;
  /** The limits of the kept part of the parameters. Default `MASK_LIMITS`. */
  readonly limits?: MaskLimits;
}

const rules = {
  event: objectWith<AuditEvent>({ methods: [], meaning: 'an object with action' }),
  id: option<string>({ meaning: 'a UUID, such as one of createRecordIds', accepts: isUuid }),
  occurredAt: option<number>({ meaning: 'milliseconds since 1970', accepts: Number.isFinite }),
  limits: maskLimitsRule,
};

/**
 * The record of an event. It is masked, clean and bounded for any content of the event, and frozen.
 *
 * @example
 * ```ts
 * const nextId = createRecordIds(Date.now);
 *
 * const event = { action: 'invoice.send', actor: 'job:nightly', parameters: { password: 'hunter2' } };
 * const record = createAuditRecord(event, { id: nextId(), occurredAt: Date.now() });
 * await sink.append([record]);
 * console.log(record.parameters); // { password: '[masked]' }
 * ```
 *
 * @throws AuditSetupError naming every fault of the origin
 */
export function createAuditRecord(event: AuditEvent, origin: RecordOrigin): AuditRecord {
  const owner = { subject: 'createAuditRecord', SetupError: AuditSetupError };
  const { id, occurredAt, limits } = readOptions<{ event: AuditEvent } & Required<RecordOrigin>>(
    owner,
    { ...origin, event },
    rules,
  );
  return makeAuditRecord(event, { id, occurredAt, limits });
}

/** {@link createAuditRecord} for an origin that is already checked. */
export function makeAuditRecord(event: AuditEvent, { id, occurredAt, limits }: RecordOrigin): AuditRecord {
  const { actor, action, target, reason, ...extra } = storedTexts(
    {
      actor: event.actor,
      action: event.action,
      target: targetText(event.target),
      reason: event.reason,
      requestId: event.requestId,
      terminal: event.terminal,
      method: event.method,
      path: event.path,
      userAgent: event.userAgent,
      exception: (event.exception ?? null) === null ? null : summarizeException(event.exception),
    },
    TEXT_LIMITS,
  );
  return freezeRecord({
    id,
    occurredAt: wholeNumber(event.occurredAt ?? occurredAt, MAX_TIME),
    actor,
    action: action ?? 'unknown',
    target,
    outcome: event.outcome ?? 'success',
    reason,
    durationMillis: wholeMillis(event.durationMillis ?? 0),
    parameters: maskSensitive(event.parameters ?? null, limits),
    clientIp: canonicalAddress(event.clientIp),
    extra,
  });
}

/** The text of a target. Null for a number that is not finite. */
export function targetText(target: string | number | null | undefined): string | null {
  if (typeof target === 'number') return Number.isFinite(target) ? String(target) : null;
  return target ?? null;
}

/** A duration in the form of a record. */
export function wholeMillis(millis: number): number {
  return wholeNumber(millis, MAX_DURATION_MILLIS);
}

function wholeNumber(value: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(0, Math.round(value))) : 0;
}
