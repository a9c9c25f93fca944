import { definePermissions } from '../../http/permission-group.js';

export const healthPermissions = definePermissions({
  title: { en: 'Health', 'zh-CN': '健康状态' },
  permissions: {
    'api:admin:health:read': { en: 'See the state of each component', 'zh-CN': '查看各组件的状态' },
  },
});
