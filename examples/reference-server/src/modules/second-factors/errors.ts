import { defineRefusal } from '../../http/refusal.js';

/** Passkeys are bound to the public address of the service, which the settings lack. */
export const PasskeysNotConfiguredError = defineRefusal({
  code: 'PASSKEYS_NOT_CONFIGURED',
  status: 409,
  en: 'Passkeys are not available here. Use an authenticator app.',
  'zh-CN': '此处不支持通行密钥，请使用身份验证器应用。',
});
