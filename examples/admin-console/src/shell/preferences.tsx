import { Group, Input, useMantineColorScheme } from '@mantine/core';
import type { ChangeEvent } from 'react';
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
      <Choice
        label={t.language}
        value={language}
        options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        onChoose={choose}
      />
      <Choice
        label={t.colors}
        value={colorScheme}
        options={SCHEMES.map((value) => ({ value, label: t.schemes[value] }))}
        onChoose={setColorScheme}
      />
    </Group>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  onChoose(value: Value): void;
}

/** A `NativeSelect` without the code of its groups: the sign-in pages have it in their first script. */
function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <Input
      component="select"
      size="xs"
      pointer
      aria-label={label}
      value={value}
      rightSection={<span aria-hidden>▾</span>}
      rightSectionPointerEvents="none"
      onChange={({ currentTarget }: ChangeEvent<HTMLSelectElement>) => {
        const chosen = options[currentTarget.selectedIndex];
        if (chosen !== undefined) onChoose(chosen.value);
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </Input>
  );
}
