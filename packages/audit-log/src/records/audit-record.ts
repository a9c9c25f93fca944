/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * How an operation ended. `refused`: the service said no (4xx), nothing was done. `failure`: it broke (5xx), and whether
 * something was done is for the record's reader to find out.
 */
export type AuditOutcome = 'success' | 'failure' | 'refused';

/** Where a record comes from, for whoever investigates. Requirement AUD-2. */
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
  /** The classes and codes of an error and its causes, such as `DrizzleQueryError < PostgresError 23505`; never a message. At most 256 characters. */
  readonly exception: string | null;
}

/**
 * One thing that happened, as every sink keeps it. Every text in it is clean: bounded, without control characters, line
 * ends, U+0000, lone surrogates and marks that turn the direction of writing, each of which stands there as an escape
 * such as `\u000a`. No sink has to refuse or mend one. Requirements AUD-2, AUD-7.
 */
export interface AuditRecord {
  /** A UUIDv7, made by this process. A sink keeps one record for an id, however often it is appended. */
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
  /** What it was done with, masked and bounded. Requirement AUD-3. */
  readonly parameters: Json;
  /** The client's full address in canonical form, without port and zone, which an `inet` column takes as well; null when unknown. */
  readonly clientIp: string | null;
  readonly extra: AuditExtra;
}
