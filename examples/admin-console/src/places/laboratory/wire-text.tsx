import { Code, Stack, Text } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import { texts } from './texts/laboratory-texts.js';

/** Texts beyond this height are scrolled, in pixels. */
const MAX_HEIGHT = 320;

/** A message as text, with its title. */
export function WireText({ title, children }: { readonly title: string; readonly children: string }) {
  const t = useTexts(texts);
  return (
    <Stack gap={4} miw={0} role="group" aria-label={title}>
      <Text size="xs" fw={600}>
        {title}
      </Text>
      {/* Focusable, so that it scrolls by keyboard. */}
      <Code
        block
        mah={MAX_HEIGHT}
        tabIndex={0}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflowY: 'auto' }}
      >
        {children === '' ? t.emptyBody : children}
      </Code>
    </Stack>
  );
}
