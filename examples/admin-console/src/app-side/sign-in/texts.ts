import { defineTexts } from '../../language/language.js';
import type { Notice } from '../visit/visit.js';

/** The texts of the sign-in. */
export type ShownNotice = Notice | 'sign-out-unsure';

const NOTICES_EN: Readonly<Record<ShownNotice, string>> = {
  recovered: 'If the number has an account, its new password is set. Sign in with it.',
  'password-changed': 'The password is set. All sessions have ended. Sign in again.',
  'sessions-ended': 'All your sessions have ended, here and on every other device.',
  'sign-out-unsure':
    'You are signed out here. The service did not confirm it: the session may stay open there until it expires.',
};

const NOTICES_ZH: Readonly<Record<ShownNotice, string>> = {
  recovered: '若该号码已有账号，新密码已生效，请使用新密码登录。',
  'password-changed': '密码已设置，所有会话均已结束，请重新登录。',
  'sessions-ended': '您在本机及其他设备上的会话均已结束。',
  'sign-out-unsure': '本机已退出登录，但服务尚未确认：该会话在服务端可能持续到过期为止。',
};

export const texts = defineTexts({
  en: {
    title: 'Sign in',
    newcomers: 'A number that is new here gets an account with its first code.',
    ways: 'How to sign in',
    byWay: { code: 'By code', password: 'By password' },
    password: 'Password',
    signIn: 'Sign in',
    forgotten: 'Forgot the password?',
    captchaReason: 'Show that you are a person, and sign in again.',
    notices: NOTICES_EN,
    ended: 'Your session has ended',
    endedReason: 'Somebody ended it, or it expired. Sign in again to go on: what you typed is still here.',
    other: 'Sign in as somebody else',
  },
  'zh-CN': {
    title: '登录',
    newcomers: '新号码首次使用验证码登录时自动注册。',
    ways: '登录方式',
    byWay: { code: '验证码登录', password: '密码登录' },
    password: '密码',
    signIn: '登录',
    forgotten: '忘记密码？',
    captchaReason: '请完成人机验证后再次登录。',
    notices: NOTICES_ZH,
    ended: '会话已结束',
    endedReason: '会话已被终止或已过期。重新登录即可继续，您输入的内容仍然保留。',
    other: '以其他用户登录',
  },
});
