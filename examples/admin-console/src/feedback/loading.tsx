import { Group, Loader, Text } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';

const texts = defineTexts({ en: { loading: 'Loading' }, 'zh-CN': { loading: '加载中' } });

/** Says that content is being read. */
export function Loading() {
  const t = useTexts(texts);
  return (
    <Group role="status" gap="xs">
      <Loader size="sm" aria-hidden />
      <Text size="sm">{t.loading}</Text>
    </Group>
  );
}
