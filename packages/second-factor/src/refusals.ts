import { defineRefusals } from '@sallyport/plugin-kit/refusals';

/** The refusals of this package, by code. */
export const refusals = defineRefusals({
  SECOND_FACTOR_NOT_ENROLLED: {
    status: 409,
    retry: 'never',
    message: 'Recovery codes need a factor',
    en: 'Set up an authenticator app or a passkey first.',
    'zh-CN': '请先绑定身份验证器或通行密钥。',
  },
  TOO_MANY_PASSKEYS: {
    status: 409,
    retry: 'never',
    en: 'This account has too many passkeys. Remove one first.',
    'zh-CN': '该账号的通行密钥过多，请先移除一个。',
  },
  SECOND_FACTOR_UNAVAILABLE: {
    status: 503,
    retry: 'wait-then-retry',
    en: 'The second factor can not be checked at the moment. Try again later.',
    'zh-CN': '暂时无法校验第二因素，请稍后再试。',
  },
});

export type SecondFactorRefusalCode = keyof typeof refusals;
