import { defineRefusals } from '../refusals/refusals.js';

/**
 * The refusals of `/postgres`, by code. A client sees them where a handler calls `runTransaction` or guards its own
 * statements. The stores of the packages refuse with codes of their own, and have these errors as `cause`.
 */
export const refusals = defineRefusals({
  TRANSACTION_ROLLED_BACK: {
    status: 503,
    retry: 'wait-then-retry',
    message:
      'PostgreSQL answered the commit with ROLLBACK, so nothing is stored: a statement of the transaction had failed, ' +
      'and its error was not passed on, or a pooler between lost the transaction',
    en: 'Nothing was changed. Try again later.',
    'zh-CN': '没有作出任何更改。请稍后重试。',
  },
  SESSIONS_SHARED: {
    status: 503,
    retry: 'wait-then-retry',
    message: 'a pooler in transaction mode is between postgres.js and PostgreSQL (pool_mode = transaction): pass %s',
    en: 'The service is temporarily unavailable.',
    'zh-CN': '服务暂时不可用。',
  },
  DRIVER_UNMENDED: {
    status: 503,
    retry: 'wait-then-retry',
    message: '%s',
    en: 'The service is temporarily unavailable.',
    'zh-CN': '服务暂时不可用。',
  },
});

export type PostgresRefusalCode = keyof typeof refusals;
