import { defineTexts } from '../language/language.js';
import type { Rule } from './password-rules.js';

type RuleTexts = Readonly<Record<Rule['rule'], (bound: number) => string>>;

const EN: RuleTexts = {
  minLength: (bound) => `at least ${bound} characters`,
  maxLength: (bound) => `at most ${bound} characters`,
  requireUppercase: () => 'an upper-case letter',
  requireLowercase: () => 'a lower-case letter',
  requireDigit: () => 'a digit',
  requireSpecial: () => 'a special character, such as ! or #',
};

const ZH: RuleTexts = {
  minLength: (bound) => `至少 ${bound} 个字符`,
  maxLength: (bound) => `最多 ${bound} 个字符`,
  requireUppercase: () => '大写字母',
  requireLowercase: () => '小写字母',
  requireDigit: () => '数字',
  requireSpecial: () => '特殊字符，例如 ! 或 #',
};

/** What each rule asks for. */
export const ruleTexts = defineTexts({ en: EN, 'zh-CN': ZH });
