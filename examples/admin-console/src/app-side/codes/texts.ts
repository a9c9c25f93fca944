import { defineTexts } from '../../language/language.js';

export const texts = defineTexts({
  en: {
    mobile: 'Mobile number',
    getCode: 'Get a code',
    anotherCode: 'Get another code',
    wait: (seconds: number) =>
      seconds > 120 ? `Another code in ${Math.ceil(seconds / 60)} min` : `Another code in ${seconds} s`,
    sent: (minutes: number) =>
      `If this number can receive messages, a code is on its way. It is valid for ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    captcha: 'One more step',
    captchaReason: 'Show that you are a person. Then the code is sent.',
    haveCode: 'I already have a code',
    code: 'Code',
  },
  'zh-CN': {
    mobile: '手机号码',
    getCode: '获取验证码',
    anotherCode: '重新获取验证码',
    wait: (seconds: number) =>
      seconds > 120 ? `${Math.ceil(seconds / 60)} 分钟后可重新获取` : `${seconds} 秒后可重新获取`,
    sent: (minutes: number) => `若该号码可接收短信，验证码已发送，${minutes} 分钟内有效。`,
    captcha: '还差一步',
    captchaReason: '请先完成人机验证，再发送验证码。',
    haveCode: '我已有验证码',
    code: '短信验证码',
  },
});
