import { definePermissions } from '../../http/permission-group.js';

export const parameterPermissions = definePermissions({
  title: { en: 'System parameters', 'zh-CN': '系统参数' },
  permissions: {
    'api:admin:system-parameters:read': { en: 'Read system parameters', 'zh-CN': '查看系统参数' },
    'api:admin:system-parameters:write': { en: 'Change system parameters', 'zh-CN': '修改系统参数' },
  },
});
