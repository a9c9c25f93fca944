import { type App, defineModule } from '../../http/module.js';
import { auditRecordOperations } from './docs.js';
import { auditRecordPermissions } from './permissions.js';
import { type AuditRecordDependencies, auditRecordRoutes } from './routes.js';
import { type VerificationRouteDependencies, verificationRoutes } from './verification-routes.js';

export { deliverAuditRecords, openAuditTargets } from './audit-deliveries.js';
export { auditChain, checkpointKeys, openAuditSink, verifyOwnLog } from './audit-sink.js';
export { checkpointPlaces } from './checkpoint-places.js';
export { checkpointsOf, compareAuditLog } from './compare-audit-log.js';
export { countRows } from './incidents.js';
export { missingRows } from './missing-rows.js';
export type { VerificationRouteDependencies } from './verification-routes.js';

export const auditRecords = defineModule({
  name: 'audit-records',
  permissions: auditRecordPermissions,
  tags: { 'Audit log': 'Search, export and verification.' },
  operations: auditRecordOperations,
  async routes(app: App, dependencies: AuditRecordDependencies & VerificationRouteDependencies) {
    await auditRecordRoutes(app, dependencies);
    await verificationRoutes(app, dependencies);
  },
});
