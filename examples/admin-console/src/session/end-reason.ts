import { defineTexts, useTexts } from '../language/language.js';
import { useConnection } from '../service/service.js';

const REASONS_EN: Readonly<Record<string, string>> = {
  SESSION_EXPIRED: 'Your session has expired.',
  SESSION_REVOKED: 'Your session was ended, by you elsewhere, by an administrator or after wrong proofs.',
  SESSION_SUPERSEDED: 'Your session was ended by a newer sign-in to your account.',
  PASSWORD_CHANGED: 'Your session was ended, since the password of your account was changed.',
  ACCOUNT_DISABLED: 'Your session was ended, since your account was disabled.',
  SECOND_FACTOR_ENROLMENT_REQUIRED: 'A second factor is required now. The next sign-in sets it up.',
  ENDED_IN_TAB: 'Your session was ended in another tab of this browser.',
};

const REASONS_ZH: Readonly<Record<string, string>> = {
  SESSION_EXPIRED: '会话已过期。',
  SESSION_REVOKED: '会话已被终止：由您在别处操作、由管理员操作，或因多次验证失败。',
  SESSION_SUPERSEDED: '您的账号有新的登录，原会话已结束。',
  PASSWORD_CHANGED: '账号密码已修改，会话随之结束。',
  ACCOUNT_DISABLED: '账号已停用，会话随之结束。',
  SECOND_FACTOR_ENROLMENT_REQUIRED: '现在必须使用第二因素，请在下次登录时绑定。',
  ENDED_IN_TAB: '会话已在此浏览器的其他标签页中结束。',
};

const texts = defineTexts({
  en: { reasons: REASONS_EN, other: 'Your session has ended. The service does not know it any more.' },
  'zh-CN': { reasons: REASONS_ZH, other: '会话已结束，服务端已无此会话。' },
});

/** Why the session has ended, in a sentence. */
export function useEndReason(): string {
  const t = useTexts(texts);
  const { endedBy } = useConnection();
  return t.reasons[endedBy ?? ''] ?? t.other;
}
