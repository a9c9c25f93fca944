import { defineRefusal } from '../../http/refusal.js';

/** The queue is unavailable. The message was not stored and will not be sent. */
export const NotificationQueueUnavailableError = defineRefusal({
  code: 'NOTIFICATION_QUEUE_UNAVAILABLE',
  status: 503,
  en: 'Messages cannot be sent at the moment. Try again later.',
  'zh-CN': '暂时无法发送消息，请稍后再试。',
});

/** Production without an SMS gateway. */
export const SmsUnavailableError = defineRefusal({
  code: 'SMS_UNAVAILABLE',
  status: 503,
  en: 'Text messages cannot be sent here.',
  'zh-CN': '短信服务不可用。',
});
