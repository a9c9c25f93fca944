import { defineModule } from '../../http/module.js';
import { auditRecordOperations } from './docs.js';
import { auditRecordRoutes } from './routes.js';

export { deliverAuditRecords, openAuditTargets } from './audit-deliveries.js';
export { auditChain, checkpointKeys, openAuditSink } from './audit-sink.js';
export { checkpointPlaces } from './checkpoint-places.js';
export { checkpointsOf, compareAuditLog } from './compare-audit-log.js';

export const auditRecords = defineModule({
  name: 'audit-records',
  permissions: ['api:admin:audit-records:list', 'api:admin:audit-records:export'],
  tags: { 'Audit log': 'Search and export.' },
  operations: auditRecordOperations,
  routes: auditRecordRoutes,
});
