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

/** The options `location` and `status` of `completeWithin`. */
export interface GivenResult {
  readonly location?: string | null;
  readonly status?: number;
}

/** @throws IdempotencySetupError for invalid values, and on a route that keeps no result */
export function refuseBadResult({ location, status }: GivenResult, keepsLocation: boolean): void {
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
