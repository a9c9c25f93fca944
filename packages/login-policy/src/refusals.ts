import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  LOGIN_TERMINAL_REFUSED: {
    status: 400,
    retry: 'never',
    en: 'This terminal cannot sign in here.',
    'zh-CN': '不支持该登录终端。',
  },
  LOGIN_NAME_REFUSED: {
    status: 400,
    retry: 'correct-request',
    en: 'This is not a user name.',
    'zh-CN': '用户名格式错误。',
  },
  LOGIN_IP_REFUSED: {
    status: 403,
    retry: 'never',
    en: 'Sign-in is not allowed from this address.',
    'zh-CN': '不允许从该 IP 地址登录。',
  },
  LOGIN_LOCKED: {
    status: 429,
    retry: 'wait-then-retry',
    message: 'Too many failed sign-ins; try again later',
    en: 'Too many failed sign-ins. Try again later.',
    'zh-CN': '登录失败次数过多，请稍后再试。',
  },
  LOGIN_POLICY_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'Sign-ins cannot be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验登录，请稍后再试。',
  },
});

export type LoginPolicyRefusalCode = keyof typeof refusals;
