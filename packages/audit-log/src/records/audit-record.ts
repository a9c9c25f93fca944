import type { Json } from '@sallyport/masking';

/**
 * How an operation ended. `refused`: the service rejected it (4xx) and nothing was done. `failure`: it failed (5xx),
 * and may have been done in part. `unknown`: it was begun, and nothing says how it ended.
 */
export type AuditOutcome = 'success' | 'failure' | 'refused' | 'unknown';

/** Where a record comes from. */
export interface AuditExtra {
  /** The id that the request's log lines and its response carry. Null outside a request. At most 128 characters. */
  readonly requestId: string | null;
  /** The kind of client, such as `web`. At most 64 characters. */
  readonly terminal: string | null;
  readonly method: string | null;
  /** The path without its query, which may carry a token. At most 512 characters. */
  readonly path: string | null;
  /** At most 256 characters. */
  readonly userAgent: string | null;
  /**
   * The classes and codes of an error and its causes, such as `DrizzleQueryError < PostgresError 23505`, without their
   * messages. At most 256 characters.
   */
  readonly exception: string | null;
}

/**
 * One event, as every sink stores it. Every text is clean: bounded, without control characters, line ends, U+0000, lone
 * surrogates and bidi marks, each of which is replaced by an escape such as `\u000a`.
 */
export interface AuditRecord {
  /**
   * A UUIDv7. A sink keeps one record for an id, however often it is appended. The record that completes a begun one
   * has its id with version 8 in place of 7.
   */
  readonly id: string;
  /** When the operation began, in milliseconds since 1970. */
  readonly occurredAt: number;
  /** Who did it, such as `admin:42`; null when nobody was signed in. At most 256 characters. */
  readonly actor: string | null;
  /** What was done, such as `payment.create`. At most 128 characters. */
  readonly action: string;
  /** What it was done to, such as an id. At most 512 characters. */
  readonly target: string | null;
  readonly outcome: AuditOutcome;
  /** Why it was refused or failed: an error's code, such as `PERMISSION_DENIED`. At most 128 characters. */
  readonly reason: string | null;
  /** How long it took, in whole milliseconds. */
  readonly durationMillis: number;
  /** The input of the operation, masked and bounded. */
  readonly parameters: Json;
  /**
   * The client's full address in canonical form, without port and zone, as an `inet` column takes it; null when
   * unknown.
   */
  readonly clientIp: string | null;
  readonly extra: AuditExtra;
}
