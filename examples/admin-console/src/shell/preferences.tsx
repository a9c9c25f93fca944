import { Group, NativeSelect, useMantineColorScheme } from '@mantine/core';
import { defineTexts, LANGUAGES, useLanguage, useTexts } from '../language/language.js';

const texts = defineTexts({
  en: { language: 'Language', colors: 'Colors', schemes: { auto: 'System colors', light: 'Light', dark: 'Dark' } },
  'zh-CN': { language: '语言', colors: '配色', schemes: { auto: '跟随系统', light: '浅色', dark: '深色' } },
});

const LANGUAGE_NAMES = { en: 'English', 'zh-CN': '中文' } as const;
const SCHEMES = ['auto', 'light', 'dark'] as const;

/** Language and colors of the page. */
export function Preferences() {
  const t = useTexts(texts);
  const { language, choose } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Group gap="xs" wrap="nowrap">
      <NativeSelect
        size="xs"
        aria-label={t.language}
        value={language}
        data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        onChange={({ currentTarget }) => choose(LANGUAGES[currentTarget.selectedIndex] ?? 'en')}
      />
      <NativeSelect
        size="xs"
        aria-label={t.colors}
        value={colorScheme}
        data={SCHEMES.map((value) => ({ value, label: t.schemes[value] }))}
        onChange={({ currentTarget }) => setColorScheme(SCHEMES[currentTarget.selectedIndex] ?? 'auto')}
      />
    </Group>
  );
}
