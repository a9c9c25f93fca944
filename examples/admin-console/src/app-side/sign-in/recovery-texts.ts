import { defineTexts } from '../../language/language.js';

export const recoveryTexts = defineTexts({
  en: {
    captcha: 'Show that you are a person. A forgotten password always needs it.',
    title: 'Set a new password',
    purpose: 'With a code that we send to your number. All your sessions end.',
    setPassword: 'Set the password',
    back: 'Back to the sign-in',
  },
  'zh-CN': {
    captcha: '请完成人机验证，找回密码时始终需要。',
    title: '找回密码',
    purpose: '使用发送到您号码的验证码设置新密码。您的所有会话都将结束。',
    setPassword: '设置密码',
    back: '返回登录',
  },
});
