import { definePermissions } from '../../http/permission-group.js';

export const metricsPermissions = definePermissions({
  title: { en: 'Metrics', 'zh-CN': '指标' },
  permissions: {
    'api:admin:metrics:read': { en: 'Read the metrics', 'zh-CN': '读取指标' },
  },
});
