import { StoreUnavailableError } from '@sallyport/ttl-store';
import { MobileInvalidError } from '../../http/errors.js';
import { INSTANT, LATER, page, THING_ID } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { NotificationQueueUnavailableError } from './errors.js';

/** Deliveries. */
export const notificationOperations: OperationTexts = {
  'GET /admin/notifications': {
    tag: 'Notifications',
    summary: 'List notifications',
    description:
      'Of the last day: `queued`, `sending`, `retrying`, `sent`, `superseded`, `expired`, `unconfirmed`, `refused` or `failed`.',
    refusals: [NotificationQueueUnavailableError],
    response: {
      data: [
        {
          id: THING_ID,
          kind: 'sms-code',
          recipient: '+86138****5678',
          state: 'sent',
          attempts: 1,
          queuedAt: INSTANT,
          expiresAt: LATER,
          finishedAt: INSTANT,
        },
      ],
      page,
    },
  },
  'GET /dev/sms-outbox': {
    tag: 'Notifications',
    summary: 'Read the development outbox',
    description: 'In development only.',
    refusals: [MobileInvalidError, StoreUnavailableError],
    response: {
      data: [{ id: THING_ID, mobile: '+8613812345678', text: 'Your code: 482913', code: '482913', sentAt: INSTANT }],
      page,
    },
  },
  'GET /dev/sms-outbox/page': {
    tag: 'Notifications',
    summary: 'Read the development outbox as a page',
    description: 'In development only.',
    refusals: [StoreUnavailableError],
    answers: {
      200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
    },
  },
};
