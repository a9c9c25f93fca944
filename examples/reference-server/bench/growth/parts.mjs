import { measureAuditLog } from './audit-log.mjs';

const THREE = [10_000, 100_000, 1_000_000];
const TWO = [10_000, 100_000];

/**
 * The parts of PRF-11. `series` are the tables and plots of a part: the title, the name of the horizontal axis, and the
 * unit of the values.
 */
export const parts = {
  'audit-log': {
    what: 'the audit log by its records, on PostgreSQL with fsync',
    sizes: THREE,
    quick: TWO,
    measure: measureAuditLog,
    series: {
      search: { title: 'A page of the audit log', x: 'records', unit: 'milliseconds' },
      rates: { title: 'Writing and reading the whole audit log', x: 'records', unit: 'records per second' },
    },
  },
};
