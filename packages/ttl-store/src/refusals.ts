import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  STORE_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    message: 'The store is unavailable',
    en: 'The service is temporarily unavailable.',
    'zh-CN': '服务暂时不可用。',
  },
});

export type TtlStoreRefusalCode = keyof typeof refusals;
