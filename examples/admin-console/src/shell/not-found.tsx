import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { defineTexts, useTexts } from '../language/language.js';

const texts = defineTexts({
  en: {
    title: 'There is nothing here',
    explanation: 'The address is wrong, or you may not see this place.',
    back: 'Go to the start page',
  },
  'zh-CN': { title: '此处没有内容', explanation: '地址有误，或您无权查看此页面。', back: '前往首页' },
});

export function NotFound() {
  const t = useTexts(texts);
  return (
    <Stack>
      <Title order={1} size="h3">
        {t.title}
      </Title>
      <Text>{t.explanation}</Text>
      <Anchor component={Link} href="/">
        {t.back}
      </Anchor>
    </Stack>
  );
}
