import type { Fault, PasswordRules } from '@sallyport/login-policy/password-rules';
import { defineTexts } from '../../language/language.js';

type FaultText = (bound: Fault['bound']) => string;

const FAULTS_EN: Readonly<Record<keyof PasswordRules, FaultText>> = {
  minLength: (bound) => `at least ${bound} characters`,
  maxLength: (bound) => `at most ${bound} characters`,
  requireUppercase: () => 'an upper-case letter',
  requireLowercase: () => 'a lower-case letter',
  requireDigit: () => 'a digit',
  requireSpecial: () => 'a special character, such as ! or #',
};

const FAULTS_ZH: Readonly<Record<keyof PasswordRules, FaultText>> = {
  minLength: (bound) => `至少 ${bound} 个字符`,
  maxLength: (bound) => `至多 ${bound} 个字符`,
  requireUppercase: () => '一个大写字母',
  requireLowercase: () => '一个小写字母',
  requireDigit: () => '一个数字',
  requireSpecial: () => '一个特殊字符，如 ! 或 #',
};

export const texts = defineTexts({
  en: {
    newPassword: 'New password',
    lengths: (least: number, most: number) => `${least} to ${most} characters`,
    needs: (faults: string) => `It needs ${faults}.`,
    faults: FAULTS_EN,
    and: ', ',
  },
  'zh-CN': {
    newPassword: '新密码',
    lengths: (least: number, most: number) => `${least} 至 ${most} 个字符`,
    needs: (faults: string) => `密码需要：${faults}。`,
    faults: FAULTS_ZH,
    and: '、',
  },
});
