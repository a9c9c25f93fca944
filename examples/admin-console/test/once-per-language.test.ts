import { expect, it } from 'vitest';
import { type Language, oncePerLanguage } from '../src/language/language.js';

it('CON-1 what depends on the language is made once for each, however many rows ask for it', () => {
  const asked: Language[] = [];
  const made = oncePerLanguage((language) => {
    asked.push(language);
    return { language };
  });
  expect(made('en')).toBe(made('en'));
  expect([made('zh-CN'), made('en')]).toEqual([{ language: 'zh-CN' }, { language: 'en' }]);
  expect(asked).toEqual(['en', 'zh-CN']);
});
