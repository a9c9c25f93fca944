import { defineRefusal } from '../../http/refusal.js';

/** Passkeys are bound to the public address of the service, which the settings lack. */
export const PasskeysNotConfiguredError = defineRefusal({
  code: 'PASSKEYS_NOT_CONFIGURED',
  status: 409,
  en: 'Passkeys are not available here. Use an authenticator app.',
  'zh-CN': '此处不支持通行密钥，请使用身份验证器应用。',
});

/** The mode is OFF: a factor that nobody asks for would promise what it does not keep. */
export const SecondFactorOffError = defineRefusal({
  code: 'SECOND_FACTOR_OFF',
  status: 409,
  en: 'The second factor is switched off.',
  'zh-CN': '第二因素已关闭。',
});

/** In mode REQUIRED. */
export const LastFactorError = defineRefusal({
  code: 'SECOND_FACTOR_LAST',
  status: 409,
  en: 'A second factor is required. Set up another one before you remove this one.',
  'zh-CN': '必须保留至少一个第二因素，请先绑定另一个再移除。',
});

/** One answer for a missing, a wrong, a used and an expired code. */
export const EnrolmentCodeRequiredError = defineRefusal({
  code: 'ENROLMENT_CODE_REQUIRED',
  status: 403,
  en: 'The time for setting up a second factor is over. Enter a valid code from an administrator.',
  'zh-CN': '绑定第二因素的期限已过，请输入管理员提供的有效绑定码。',
});

/** A stolen session must not remove the factors of its owner. */
export const OwnFactorsError = defineRefusal({
  code: 'OWN_SECOND_FACTORS',
  status: 409,
  en: 'Administrators cannot reset their own second factors.',
  'zh-CN': '管理员不能重置自己的第二因素。',
});
