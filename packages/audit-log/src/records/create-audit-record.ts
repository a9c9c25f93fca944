import { cleanText } from '../masking/clean-text.js';
import { type MaskLimits, maskSensitive } from '../masking/mask-sensitive.js';
import { maskText } from '../masking/sensitive-values.js';
import type { AuditOutcome, AuditRecord } from './audit-record.js';
import { canonicalAddress } from './client-address.js';
import { summarizeException } from './exception-summary.js';

/** What happened, as whoever saw it says it. Nothing in it has to be clean, short or free of secrets. */
export interface AuditEvent {
  /** What was done, such as `payment.create`. */
  readonly action: string;
  /** Who did it. Default null. */
  readonly actor?: string | null;
  /** What it was done to. Default null. */
  readonly target?: string | null;
  /** Default `success`. */
  readonly outcome?: AuditOutcome;
  /** A code that says why it was refused or failed. Default null. */
  readonly reason?: string | null;
  /** What it was done with: any value. Default null. */
  readonly parameters?: unknown;
  /** In milliseconds since 1970. Default: now. */
  readonly occurredAt?: number;
  /** Default 0. */
  readonly durationMillis?: number;
  readonly clientIp?: string | null;
  readonly requestId?: string | null;
  readonly terminal?: string | null;
  readonly method?: string | null;
  /** Without its query. */
  readonly path?: string | null;
  readonly userAgent?: string | null;
  /** The error, of which class and code are kept. */
  readonly exception?: unknown;
}

/** The longest texts of a record, in UTF-16 units. Requirement AUD-2. */
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

/** Masking sees this much more of a text than is kept of it: a secret that the cut would halve is still known as one. */
const LOOK_AHEAD = 2048;

/** 9999-12-31: no sink has to write a year of five digits. */
const MAX_TIME = Date.UTC(10_000, 0) - 1;

/** What a record has that its event doesn't say. */
export interface RecordOrigin {
  /** A UUIDv7. */
  readonly id: string;
  /** When the event happened, unless it says so itself; in milliseconds since 1970. */
  readonly occurredAt: number;
  /** How much of its parameters is kept. */
  readonly limits?: MaskLimits;
}

/** The record of an event: masked, clean and bounded, whatever the event is made of. Requirements AUD-2, AUD-3, AUD-7. */
export function createAuditRecord(event: AuditEvent, { id, occurredAt, limits }: RecordOrigin): AuditRecord {
  return {
    id,
    occurredAt: wholeNumber(event.occurredAt ?? occurredAt, MAX_TIME),
    actor: keepText(event.actor, TEXT_LIMITS.actor),
    action: keepText(event.action, TEXT_LIMITS.action) ?? 'unknown',
    target: keepText(event.target, TEXT_LIMITS.target),
    outcome: event.outcome ?? 'success',
    reason: keepText(event.reason, TEXT_LIMITS.reason),
    durationMillis: wholeNumber(event.durationMillis ?? 0, MAX_DURATION_MILLIS),
    parameters: maskSensitive(event.parameters ?? null, limits),
    clientIp: canonicalAddress(event.clientIp),
    extra: {
      requestId: keepText(event.requestId, TEXT_LIMITS.requestId),
      terminal: keepText(event.terminal, TEXT_LIMITS.terminal),
      method: keepText(event.method, TEXT_LIMITS.method),
      path: keepText(event.path, TEXT_LIMITS.path),
      userAgent: keepText(event.userAgent, TEXT_LIMITS.userAgent),
      exception:
        event.exception === undefined || event.exception === null
          ? null
          : keepText(summarizeException(event.exception), TEXT_LIMITS.exception),
    },
  };
}

/** What an `integer` column takes: 24 days. */
const MAX_DURATION_MILLIS = 2_147_483_647;

function keepText(text: string | null | undefined, maxLength: number): string | null {
  if (text === null || text === undefined) return null;
  return cleanText(maskText(String(text).slice(0, maxLength + LOOK_AHEAD)), maxLength);
}

function wholeNumber(value: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(0, Math.round(value))) : 0;
}
