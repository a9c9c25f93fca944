import { Badge } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';
import { isHighlyRestrictive } from './scripts.js';

const texts = defineTexts({
  en: { mixed: 'Mixed scripts' },
  'zh-CN': { mixed: '混用文字' },
});

/** Marks a name that mixes scripts as no language does: it may look like another one. */
export function ScriptMark({ names }: { readonly names: readonly string[] }) {
  const t = useTexts(texts);
  if (names.every(isHighlyRestrictive)) return null;
  return (
    <Badge variant="light" color="orange">
      {t.mixed}
    </Badge>
  );
}
