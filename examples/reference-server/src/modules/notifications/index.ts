import { defineModule } from '../../http/module.js';
import { notificationOperations } from './docs.js';
import { notificationPermissions } from './permissions.js';
import { notificationRoutes } from './routes.js';

export type { DeliveryOutcome } from './deliver.js';
export { NotificationQueueUnavailableError, SmsUnavailableError } from './errors.js';
export type { NotificationQueue } from './notification-queue.js';
export { type Notifications, openNotifications } from './notifications.js';

export const notifications = defineModule({
  name: 'notifications',
  permissions: notificationPermissions,
  tags: { Notifications: 'How deliveries go.' },
  operations: notificationOperations,
  routes: notificationRoutes,
});
