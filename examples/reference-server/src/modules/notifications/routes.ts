import { Type } from 'typebox';
import type { Config } from '../../config/config.js';
import { closedText } from '../../http/closed-text.js';
import { listOf, pageQuery } from '../../http/lists.js';
import { MAX_MOBILE_LENGTH, readMobileNumber } from '../../http/mobile-number.js';
import type { App } from '../../http/module.js';
import type { NotificationQueue } from './notification-queue.js';
import type { Outbox } from './outbox.js';
import { OUTBOX_PAGE_CSP, renderOutboxPage } from './outbox.js';

export interface NotificationDependencies {
  readonly config: Pick<Config, 'app.auth.default-region'>;
  /** Without an outbox, which exists in development only, its routes are not registered. */
  readonly notifications: {
    readonly queue: Pick<NotificationQueue, 'list'>;
    readonly outbox: Pick<Outbox, 'read'> | null;
  };
}

const notification = Type.Object(
  {
    id: Type.String(),
    kind: closedText('sms-code'),
    recipient: Type.String(),
    /** `unconfirmed`: sent twice without a confirmation. `superseded`: the code was used or withdrawn. */
    state: closedText(
      'queued',
      'sending',
      'retrying',
      'sent',
      'superseded',
      'expired',
      'unconfirmed',
      'refused',
      'failed',
    ),
    attempts: Type.Integer(),
    queuedAt: Type.Integer(),
    expiresAt: Type.Integer(),
    finishedAt: Type.Optional(Type.Integer()),
  },
  { title: 'Notification' },
);

const outboxMessage = Type.Object(
  {
    id: Type.String(),
    mobile: Type.String(),
    text: Type.String(),
    code: Type.String(),
    sentAt: Type.Integer(),
  },
  { title: 'OutboxMessage' },
);

const outboxQuery = Type.Object(
  { ...pageQuery, mobile: Type.Optional(Type.String({ maxLength: MAX_MOBILE_LENGTH })) },
  { additionalProperties: false },
);

/** `GET /admin/notifications` lists deliveries. `GET /dev/sms-outbox` and `…/page` show the development outbox. */
export async function notificationRoutes(app: App, dependencies: NotificationDependencies): Promise<void> {
  const { config, notifications } = dependencies;
  const { queue, outbox } = notifications;
  app.get(
    '/admin/notifications',
    {
      config: { access: 'admin', permission: 'api:admin:notifications:list', audit: 'notification' },
      schema: {
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: { 200: listOf(notification) },
      },
    },
    async function listNotifications({ query }) {
      const { items, total } = await queue.list(query);
      return { data: items, page: { number: query.page, size: query.size, total } };
    },
  );

  if (outbox === null) return;
  app.get(
    '/dev/sms-outbox',
    {
      config: { access: 'public', audit: false },
      schema: { querystring: outboxQuery, response: { 200: listOf(outboxMessage) } },
    },
    async function readOutbox({ query: { page, size, mobile } }) {
      const number = mobile === undefined ? null : readMobileNumber(mobile, config['app.auth.default-region']);
      const found = (await outbox.read()).filter((message) => number === null || message.mobile === number);
      const data = found.slice((page - 1) * size, page * size);
      return { data, page: { number: page, size, total: found.length } };
    },
  );

  app.get(
    '/dev/sms-outbox/page',
    { config: { access: 'public', audit: false, bypassEnvelope: true } },
    async function showOutbox(_request, reply) {
      const page = renderOutboxPage(await outbox.read());
      return reply.type('text/html; charset=utf-8').header('content-security-policy', OUTBOX_PAGE_CSP).send(page);
    },
  );
}
