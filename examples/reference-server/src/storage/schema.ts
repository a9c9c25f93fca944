/** Every table of the server, for drizzle-kit: a module's own beside it, a package's from the package. */
export { auditChainHeads, auditPending, auditRecords } from '@sallyport/audit-log/postgres';
export { idempotencyRecords } from '@sallyport/idempotency/postgres';
export { systemParameters } from '@sallyport/system-parameters/postgres';
export { ttlEntries } from '@sallyport/ttl-store/postgres';
export { administratorRoles, administrators } from '../modules/administrators/table.js';
export { appUsers } from '../modules/app-users/table.js';
export { storedFiles } from '../modules/files/table.js';
export { payments } from '../modules/payments/table.js';
export { roles } from '../modules/roles/table.js';
