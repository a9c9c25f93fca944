import type { Json } from '@sallyport/masking';

/**
 * The outcome of an operation. `refused`: the service rejected it (4xx) and nothing was done. `failure`: it failed
 * (5xx), and may have been done in part. `unknown`: it was begun, and its end is not known.
 */
export type AuditOutcome = 'success' | 'failure' | 'refused' | 'unknown';

/** The origin of a record. */
export interface AuditExtra {
  /** The id in the request's log lines and its response. Null outside a request. At most 128 characters. */
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
 * An event in the form that every sink stores. Every text is clean: bounded, without control characters, line ends,
 * U+0000, lone surrogates and bidi marks, each of which is replaced by an escape such as `\u000a`.
 */
export interface AuditRecord {
  /**
   * A UUIDv7. A sink keeps one record for an id, even if it is appended several times. The record that completes a
   * begun one has the same id with version 8 instead of 7.
   */
  readonly id: string;
  /** The start of the operation, in milliseconds since 1970. */
  readonly occurredAt: number;
  /** The actor, such as `admin:42`. Null if nobody was signed in. At most 256 characters. */
  readonly actor: string | null;
  /** The action, such as `payment.create`. At most 128 characters. */
  readonly action: string;
  /** The target of the action, such as an id. At most 512 characters. */
  readonly target: string | null;
  readonly outcome: AuditOutcome;
  /** The reason of a refusal or failure: an error's code, such as `PERMISSION_DENIED`. At most 128 characters. */
  readonly reason: string | null;
  /** The duration, in whole milliseconds. */
  readonly durationMillis: number;
  /** The input of the operation, masked and bounded. */
  readonly parameters: Json;
  /**
   * The client's full address in canonical form, without port and zone, as an `inet` column accepts it. Null if it is
   * unknown.
   */
  readonly clientIp: string | null;
  readonly extra: AuditExtra;
}
