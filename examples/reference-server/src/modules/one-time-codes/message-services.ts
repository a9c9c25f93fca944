import type { PostgresAuditSink } from '@sallyport/audit-log/postgres';
import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { deriveKey, loadTokenKeys } from '../../protection/token-keys.js';
import { type Notifications, type NotificationsOptions, openNotifications } from '../notifications/index.js';
import { smsParameters } from './parameters.js';
import { recordCodeEvents } from './record-events.js';
import { createSmsCodes, type SmsCodes } from './sms-codes.js';

/** The one-time codes, and the notifications. */
export interface MessageServices {
  readonly codes: SmsCodes;
  readonly notifications: Notifications;
}

/** Opens the codes with the notifications that carry them, under keys derived from the signing key. */
export async function openMessageServices(
  app: App,
  config: Config,
  resources: NotificationsOptions['resources'],
  auditSink: Pick<PostgresAuditSink, 'append'>,
): Promise<MessageServices> {
  const { signingKey } = await loadTokenKeys(config);
  const codes = createSmsCodes({
    store: resources.stores.sessions,
    key: deriveKey(signingKey, 'sms-codes'),
    policy: () => app.systemParameters.read(smsParameters),
    queue: () => notifications.queue,
    onEvent: recordCodeEvents({ sink: auditSink, log: app.log }),
    log: app.log,
  });
  const notifications: Notifications = await openNotifications({
    config,
    resources,
    key: deriveKey(signingKey, 'notifications'),
    codes,
    log: app.log,
    onDelivery: app.metrics.noteDelivery,
  });
  // Runs before the stores are closed, whose hooks were added earlier.
  app.addHook('onClose', () => notifications.close());
  const isSending = notifications.sender !== null && !config['safe-mode'];
  if (isSending && config['notification.worker'] === 'server') await notifications.startWorker();
  return { codes, notifications };
}
