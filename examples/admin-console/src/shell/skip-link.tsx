import { Anchor } from '@mantine/core';
import { type MouseEvent, type RefObject, useState } from 'react';
import { defineTexts, useTexts } from '../language/language.js';

const texts = defineTexts({ en: { skip: 'Skip to the content' }, 'zh-CN': { skip: '跳到正文' } });

export const CONTENT_ID = 'content';

/** Above the header and the navigation, for the keyboard. It is seen while it has the focus. */
export function SkipLink({ content }: { readonly content: RefObject<HTMLElement | null> }) {
  const t = useTexts(texts);
  const [isSeen, setIsSeen] = useState(false);
  function skip(event: MouseEvent) {
    // The address is that of the list, with its filters.
    event.preventDefault();
    content.current?.focus();
  }
  return (
    <Anchor
      href={`#${CONTENT_ID}`}
      size="sm"
      px="md"
      py="xs"
      pos="fixed"
      left={8}
      top={isSeen ? 8 : -100}
      bg="var(--mantine-color-body)"
      bdrs="sm"
      // Above the header.
      style={{ zIndex: 300 }}
      onFocus={() => setIsSeen(true)}
      onBlur={() => setIsSeen(false)}
      onClick={skip}
    >
      {t.skip}
    </Anchor>
  );
}
