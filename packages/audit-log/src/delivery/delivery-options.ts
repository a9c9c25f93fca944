import { listOf, nullable, objectWith, option, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { databaseRule } from '@sallyport/plugin-kit/postgres';
import {
  AUDIT_TABLE_DEFAULTS,
  type AuditChainHeadsTable,
  type AuditDatabase,
  type AuditDeliveriesTable,
  type AuditRecordsTable,
  type DrizzleDatabase,
  type ReadWithDatabase,
  tableRules,
} from '../chain/index.js';
import { AuditSetupError } from '../errors.js';
import type { AuditTarget } from './audit-target.js';
import { SECURITY_ACTIONS } from './security-actions.js';

/** A logger such as Fastify's. */
export interface DeliveryLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface AuditDeliveryOptions {
  /** A drizzle database over postgres-js, PGlite or node-postgres. Required. The delivery never closes it. */
  readonly database: AuditDatabase;
  /**
   * The name of the destination in the table of cursors: 1 to 64 letters, digits and `._-`. Required. With another name
   * everything is sent again, from the first existing record.
   */
  readonly destination: string;
  /** The target of the records: `createSyslogTarget(…)`, `createNdjsonTarget(…)` or your own. Required. */
  readonly target: AuditTarget;
  /** The table of records. Default `auditRecords`. */
  readonly table?: AuditRecordsTable;
  /** The table of chain heads. Default `auditChainHeads`. */
  readonly heads?: AuditChainHeadsTable;
  /** The table of delivery cursors. Default `auditDeliveries`. */
  readonly deliveries?: AuditDeliveriesTable;
  /** Actions that are security events. Default `SECURITY_ACTIONS`. Every action that begins with `security.` is one. */
  readonly securityActions?: readonly string[];
  /** The maximum number of records that are sent together and kept in memory, 1 to 10 000. Default 500. */
  readonly maxBatch?: number;
  /** The interval of queries for new records when everything is sent, in milliseconds, 10 to 60 000. Default 1000. */
  readonly pollMillis?: number;
  /**
   * The time for which a crashed node keeps others from sending, in seconds, 2 to 600. Default 15. A running node
   * renews its lease three times in that time.
   */
  readonly leaseSeconds?: number;
  /** The longest pause after failures, in seconds, 1 to 3600. Default 15. Pauses begin with 250 ms and double. */
  readonly maxRetrySeconds?: number;
  /** The time limit of a statement, in milliseconds, 1 to 60 000. Default 5000. */
  readonly databaseTimeoutMillis?: number;
  /** The time for which `close` waits for the batch that is being sent, in milliseconds, 0 to 60 000. Default 2000. */
  readonly closeTimeoutMillis?: number;
  /** Receives failures, recoveries and missing records. Default none. */
  readonly log?: DeliveryLog | null;
}

export const AUDIT_DELIVERY_DEFAULTS = {
  table: AUDIT_TABLE_DEFAULTS.table,
  heads: AUDIT_TABLE_DEFAULTS.heads,
  deliveries: AUDIT_TABLE_DEFAULTS.deliveries,
  securityActions: SECURITY_ACTIONS,
  maxBatch: 500,
  pollMillis: 1000,
  leaseSeconds: 15,
  maxRetrySeconds: 15,
  databaseTimeoutMillis: 5000,
  closeTimeoutMillis: 2000,
  log: null,
} as const satisfies Omit<Required<AuditDeliveryOptions>, 'database' | 'destination' | 'target'>;

const number = (min: number, max: number, unit: string, byDefault: number) =>
  wholeNumber({ min, max, unit, default: byDefault });

const rules = {
  database: databaseRule<DrizzleDatabase>('transaction'),
  destination: option<string>({
    meaning: '1 to 64 letters, digits and ._-',
    accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(value),
  }),
  target: objectWith<AuditTarget>({ methods: ['send'], meaning: 'a target with send, such as createSyslogTarget(…)' }),
  table: tableRules.table,
  heads: tableRules.heads,
  deliveries: tableRules.deliveries,
  securityActions: listOf<string>((item) => typeof item === 'string' && item !== '', {
    meaning: 'a list of action names',
    default: AUDIT_DELIVERY_DEFAULTS.securityActions,
  }),
  maxBatch: number(1, 10_000, 'records', AUDIT_DELIVERY_DEFAULTS.maxBatch),
  pollMillis: number(10, 60_000, 'milliseconds', AUDIT_DELIVERY_DEFAULTS.pollMillis),
  leaseSeconds: number(2, 600, 'seconds', AUDIT_DELIVERY_DEFAULTS.leaseSeconds),
  maxRetrySeconds: number(1, 3600, 'seconds', AUDIT_DELIVERY_DEFAULTS.maxRetrySeconds),
  databaseTimeoutMillis: number(1, 60_000, 'milliseconds', AUDIT_DELIVERY_DEFAULTS.databaseTimeoutMillis),
  closeTimeoutMillis: number(0, 60_000, 'milliseconds', AUDIT_DELIVERY_DEFAULTS.closeTimeoutMillis),
  log: nullable(objectWith<DeliveryLog>({ methods: ['info', 'warn', 'error'], meaning: 'a logger, such as app.log' })),
};

/** @throws AuditSetupError naming every fault of the options */
export function readDeliveryOptions(given: AuditDeliveryOptions): ReadWithDatabase<AuditDeliveryOptions> {
  const owner = { subject: 'createAuditDelivery', SetupError: AuditSetupError };
  return readOptions<ReadWithDatabase<AuditDeliveryOptions>>(owner, given, rules);
}
