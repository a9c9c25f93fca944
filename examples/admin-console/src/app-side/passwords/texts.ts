import { defineTexts } from '../../language/language.js';

export const texts = defineTexts({
  en: {
    newPassword: 'New password',
    rules: (rules: string) => `A password needs ${rules}.`,
    needs: (rules: string) => `It needs ${rules}.`,
    and: ', ',
  },
  'zh-CN': {
    newPassword: '新密码',
    rules: (rules: string) => `密码要求：${rules}。`,
    needs: (rules: string) => `密码还需要：${rules}。`,
    and: '、',
  },
});
