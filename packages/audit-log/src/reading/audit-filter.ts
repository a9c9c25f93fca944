import { unknownNameFaults } from '@sallyport/plugin-kit/options';
import type { AuditOutcome } from '../records/index.js';

/** Selects the records that meet all given conditions. */
export interface AuditFilter {
  /** The earliest time, in milliseconds since 1970. */
  readonly from?: number | undefined;
  /** The end, which is excluded, in milliseconds since 1970. */
  readonly to?: number | undefined;
  readonly actor?: string | undefined;
  /** The action, or several of which it is one. */
  readonly action?: string | readonly string[] | undefined;
  /** The beginning of the action, such as `payment.`. */
  readonly actionPrefix?: string | undefined;
  /** Whether actions that end in `.read` are found. Default true. They are recorded in either case. */
  readonly reads?: boolean | undefined;
  /** The address in canonical form, as in the records: see `canonicalAddress`. */
  readonly ip?: string | undefined;
  /** The network of the address, such as `203.0.113.0/24` or `2001:db8::/48`. */
  readonly network?: string | undefined;
  /** The whole target of the action, or several of which it is one, such as the id and the name of an account. */
  readonly target?: string | readonly string[] | undefined;
  /** The code of the reason of a refusal or failure. */
  readonly reason?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly requestId?: string | undefined;
}

const FILTERS: readonly (keyof AuditFilter)[] = [
  'from',
  'to',
  'actor',
  'action',
  'actionPrefix',
  'reads',
  'ip',
  'network',
  'target',
  'reason',
  'outcome',
  'requestId',
];

/** A misspelt filter would select every record. */
export function refuseUnknownFilters(filter: AuditFilter): void {
  const faults = unknownNameFaults(Object.keys(filter), FILTERS, { path: 'filter.' });
  if (faults.length > 0) throw new TypeError(faults.join('; '));
}
