import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { notificationOperations } from './docs.js';
import { notificationRoutes } from './routes.js';

export type { DeliveryOutcome } from './deliver.js';
export { NotificationQueueUnavailableError, SmsUnavailableError } from './errors.js';
export type { NotificationQueue } from './notification-queue.js';
export { type Notifications, type NotificationsOptions, openNotifications } from './notifications.js';

const permissions = definePermissions({
  title: { en: 'Notifications', 'zh-CN': '通知' },
  permissions: {
    'api:admin:notifications:list': { en: 'List notifications and their deliveries', 'zh-CN': '查看通知及其投递情况' },
  },
});

export const notifications = defineModule({
  name: 'notifications',
  permissions,
  tags: { Notifications: 'How deliveries go.' },
  operations: notificationOperations,
  routes: notificationRoutes,
});
