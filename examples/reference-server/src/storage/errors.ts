import { defineRefusal } from '../http/refusal.js';

/** The database is unavailable or does not answer. The operation is refused. */
export const DatabaseUnavailableError = defineRefusal({
  code: 'DATABASE_UNAVAILABLE',
  status: 503,
  en: 'The service is temporarily unavailable.',
  'zh-CN': '服务暂时不可用。',
});
