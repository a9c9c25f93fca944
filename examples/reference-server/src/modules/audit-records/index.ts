import { type App, defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { actionRoute } from './action-route.js';
import { auditRecordOperations } from './docs.js';
import { type AuditRecordDependencies, auditRecordRoutes } from './routes.js';
import { type VerificationRouteDependencies, verificationRoutes } from './verification-routes.js';

export { deliverAuditRecords, openAuditTargets } from './audit-deliveries.js';
export { auditChain, checkpointKeys, checkpointPublicKeys, openAuditSink, verifyOwnLog } from './audit-sink.js';
export { checkpointPlaces } from './checkpoint-places.js';
export { checkpointsOf, compareAuditLog } from './compare-audit-log.js';
export { countRows } from './incidents.js';
export { missingRows } from './missing-rows.js';
export type { VerificationRouteDependencies } from './verification-routes.js';

const permissions = definePermissions({
  title: { en: 'Audit log', 'zh-CN': '审计日志' },
  permissions: {
    'api:admin:audit-records:list': { en: 'Search the audit log', 'zh-CN': '搜索审计日志' },
    'api:admin:audit-records:export': { en: 'Export audit records', 'zh-CN': '导出审计记录' },
    'api:admin:audit-records:verify': { en: 'Verify the audit log', 'zh-CN': '校验审计日志' },
  },
});

export const auditRecords = defineModule({
  name: 'audit-records',
  permissions,
  tags: { 'Audit log': 'Search, export and verification.' },
  operations: auditRecordOperations,
  async routes(app: App, dependencies: AuditRecordDependencies & VerificationRouteDependencies) {
    await actionRoute(app);
    await auditRecordRoutes(app, dependencies);
    await verificationRoutes(app, dependencies);
  },
});
