import { IdempotencySetupError } from '../errors.js';
import type { KeptResult } from '../records/index.js';

/** Longer values are useless in a header: servers and proxies accept about 8 KiB for all headers together. */
const MAX_LOCATION_BYTES = 2048;

/** RFC 3986: a URI is written in visible ASCII. Anything else must be percent-encoded. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The part of an answer that is kept, and the reason if its `Location` can't be kept. */
export interface ResultReading {
  readonly result: KeptResult;
  readonly fault: string | null;
}

/** @param location the header of the reply: undefined without one. */
export function readResult(status: number, location: unknown): ResultReading {
  const fault = location === undefined || location === null ? null : faultOf(location);
  return { result: { status, location: typeof location === 'string' && fault === null ? location : null }, fault };
}

function faultOf(location: unknown): string | null {
  if (typeof location !== 'string') return 'it is not one text';
  if (location.length > MAX_LOCATION_BYTES) return `it is longer than ${MAX_LOCATION_BYTES} bytes`;
  if (VISIBLE_ASCII.test(location)) return null;
  return location === '' ? 'it is empty' : 'it has characters other than visible ASCII; percent-encode them';
}

/** Options of `request.idempotency.completeWithin`. */
export interface CompleteWithinOptions {
  /**
   * A drizzle `SQL` of an insert, update or delete that is sent in the same statement: one round trip instead of two.
   * Make it depend on `isCompleted` of `@sallyport/idempotency/postgres`, so that it has no effect where the record is
   * not completed. Default null: nothing.
   */
  readonly also?: object | null;
  /**
   * On a route with `result: 'location'`: the `Location` that the reply will have, since the record commits before the
   * reply exists. Null: none. Default: the header that the reply has now.
   */
  readonly location?: string | null;
  /**
   * On a route with `result: 'location'`: the status that the reply will have, 100 to 399. Default: the status that the
   * reply has now, which is 200 until the handler sets one.
   */
  readonly status?: number;
}

/** @throws IdempotencySetupError for values that are never right, and on a route that keeps no result */
export function refuseBadResult({ location, status }: CompleteWithinOptions, keepsLocation: boolean): void {
  const faults: string[] = [];
  if (!keepsLocation && (location !== undefined || status !== undefined)) {
    faults.push("location and status are for routes with config.idempotency.result: 'location'");
  }
  if (location !== undefined && location !== null && typeof location !== 'string') {
    faults.push('location must be a string or null');
  }
  if (status !== undefined && !(Number.isInteger(status) && status >= 100 && status <= 399)) {
    faults.push('status must be a whole number from 100 to 399, the status of the answer');
  }
  if (faults.length > 0) throw new IdempotencySetupError('completeWithin', faults);
}
