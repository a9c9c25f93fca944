import { measureAdministration } from './administration.mjs';
import { measureAuditLog } from './audit-log.mjs';
import { measureNodes } from './nodes.mjs';
import { measureSignIns } from './sign-ins.mjs';
import { measureStores } from './stores.mjs';

const TO_A_MILLION = [10_000, 100_000, 1_000_000];
const TO_A_HUNDRED_THOUSAND = [10_000, 100_000];

/**
 * The parts of PRF-11. `series` are the tables and plots of a part: the title, the name of the horizontal axis, and the
 * unit of the values.
 */
export const parts = {
  'audit-log': {
    what: 'the audit log by its records, on PostgreSQL with fsync',
    sizes: TO_A_MILLION,
    quick: TO_A_HUNDRED_THOUSAND,
    measure: measureAuditLog,
    series: {
      search: { title: 'A page of the audit log', x: 'records', unit: 'milliseconds' },
      rates: { title: 'Writing and reading the whole audit log', x: 'records', unit: 'records per second' },
      disk: { title: 'Disk of the audit log', x: 'records', unit: 'bytes per record' },
    },
  },
  stores: {
    what: 'sessions and nonces in Redis, by their number',
    sizes: TO_A_MILLION,
    quick: TO_A_HUNDRED_THOUSAND,
    measure: measureStores,
    series: {
      calls: { title: 'Sessions and nonces in Redis', x: 'entries', unit: 'milliseconds' },
      processor: { title: 'Processor time of Redis', x: 'entries', unit: 'microseconds per call' },
      memory: { title: 'Memory of Redis for each', x: 'entries', unit: 'bytes' },
    },
  },
  administration: {
    what: 'roles, permissions, parameters and locks by their number, through the whole server',
    sizes: [10, 100, 1000, 10_000],
    quick: [10, 100],
    measure: measureAdministration,
    series: { requests: { title: 'A request of an administrator', x: 'of each', unit: 'milliseconds' } },
  },
  nodes: {
    what: 'nodes behind nginx, on one PostgreSQL and one Redis',
    sizes: [1, 2, 3, 4],
    quick: [1, 2],
    measure: measureNodes,
    series: {
      processor: {
        title: 'Processor time of all nodes, and of PostgreSQL',
        x: 'nodes',
        unit: 'microseconds per request',
        linear: true,
      },
      rates: { title: 'Requests on this machine', x: 'nodes', unit: 'per second', linear: true },
      waits: { title: 'Waits of statements', x: 'nodes', unit: 'milliseconds per request', linear: true },
    },
  },
  'sign-ins': {
    what: 'a storm of sign-ins at BCrypt cost 12',
    sizes: [1, 2],
    quick: [1, 2],
    measure: measureSignIns,
    series: {
      rates: { title: 'Sign-ins at cost 12', x: 'nodes', unit: 'a second', linear: true },
      latencies: { title: 'Other requests', x: 'nodes', unit: 'milliseconds', linear: true },
    },
  },
};
