import { Code, Spoiler, Stack, Text } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import { texts } from './texts/laboratory-texts.js';

/** Texts beyond this height are folded, in pixels. */
const MAX_HEIGHT = 260;

/** A message as text, with its title. */
export function WireText({ title, children }: { readonly title: string; readonly children: string }) {
  const t = useTexts(texts);
  return (
    <Stack gap={4} miw={0} role="group" aria-label={title}>
      <Text size="xs" fw={600}>
        {title}
      </Text>
      <Spoiler maxHeight={MAX_HEIGHT} showLabel={t.more} hideLabel={t.less}>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {children === '' ? t.emptyBody : children}
        </Code>
      </Spoiler>
    </Stack>
  );
}
