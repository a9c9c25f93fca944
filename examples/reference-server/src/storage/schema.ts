/** All tables of the server, for drizzle-kit: those of the modules and those of the packages. */
export {
  auditChainHeads,
  auditDeliveries,
  auditPending,
  auditRecords,
  auditSignedHeads,
} from '@sallyport/audit-log/postgres';
export { idempotencyRecords } from '@sallyport/idempotency/postgres';
export { systemParameters } from '@sallyport/system-parameters/postgres';
export { ttlEntries } from '@sallyport/ttl-store/postgres';
export { administratorRoles, administrators, nameSkeletons } from '../modules/administrators/table.js';
export { appUsers } from '../modules/app-users/table.js';
export { storedFiles } from '../modules/files/table.js';
export { payments } from '../modules/payments/table.js';
export { roles } from '../modules/roles/table.js';
export { secondFactors } from '../modules/second-factors/table.js';
export { fileContents } from './content-ledger.js';
export { sessionEnds } from './session-ends.js';
