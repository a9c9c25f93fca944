import { definePermissions } from '../../http/permission-group.js';

export const auditRecordPermissions = definePermissions({
  title: { en: 'Audit log', 'zh-CN': '审计日志' },
  permissions: {
    'api:admin:audit-records:list': { en: 'Search the audit log', 'zh-CN': '搜索审计日志' },
    'api:admin:audit-records:export': { en: 'Export audit records', 'zh-CN': '导出审计记录' },
    'api:admin:audit-records:verify': { en: 'Verify the audit log', 'zh-CN': '校验审计日志' },
  },
});
