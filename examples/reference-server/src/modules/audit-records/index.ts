import { defineModule } from '../../http/module.js';
import { deliverAuditRecords } from './audit-deliveries.js';
import { auditRecordOperations } from './docs.js';
import { auditRecordRoutes } from './routes.js';

export { openAuditTargets } from './audit-deliveries.js';
export { auditChain, openAuditSink } from './audit-sink.js';

export const auditRecords = defineModule({
  name: 'audit-records',
  permissions: ['api:admin:audit-records:list', 'api:admin:audit-records:export'],
  prepare: deliverAuditRecords,
  tags: { 'Audit log': 'Search and export.' },
  operations: auditRecordOperations,
  routes: auditRecordRoutes,
});
