import { definePermissions } from '../../http/permission-group.js';

export const notificationPermissions = definePermissions({
  title: { en: 'Notifications', 'zh-CN': '通知' },
  permissions: {
    'api:admin:notifications:list': { en: 'List notifications and their deliveries', 'zh-CN': '查看通知及其投递情况' },
  },
});
