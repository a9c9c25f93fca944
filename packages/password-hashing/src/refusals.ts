import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  PASSWORD_WORKERS_BUSY: {
    status: 503,
    retry: 'wait-then-retry',
    message: 'The server is too busy to check the password; try again in a moment',
    en: 'The server is too busy to check the password. Try again in a moment.',
    'zh-CN': '服务器繁忙，暂时无法校验密码，请稍后再试。',
  },
});

export type PasswordHashingRefusalCode = keyof typeof refusals;
