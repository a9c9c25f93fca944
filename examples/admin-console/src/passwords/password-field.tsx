import { TextInput, type TextInputProps, UnstyledButton } from '@mantine/core';
import { type Ref, useState } from 'react';
import { defineTexts, useTexts } from '../language/language.js';

const texts = defineTexts({
  en: { show: 'Show what is typed' },
  'zh-CN': { show: '显示输入的内容' },
});

/** The field of every password. Its eye shows what was typed, and is reached by keyboard. */
export function PasswordField(
  props: Omit<TextInputProps, 'type' | 'rightSection'> & { readonly ref?: Ref<HTMLInputElement> },
) {
  const t = useTexts(texts);
  const [isShown, show] = useState(false);
  return (
    <TextInput
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      rightSection={
        <UnstyledButton
          aria-label={t.show}
          title={t.show}
          aria-pressed={isShown}
          c={isShown ? 'inherit' : 'dimmed'}
          lh={0}
          p={4}
          // The caret stays in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => show(!isShown)}
        >
          <Eye isOpen={isShown} />
        </UnstyledButton>
      }
    />
  );
}

function Eye({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.8" aria-hidden>
      <path d="M2 12c2.5-4.5 6-7 10-7s7.5 2.5 10 7c-2.5 4.5-6 7-10 7s-7.5-2.5-10-7z" />
      <circle cx="12" cy="12" r="3" />
      {!isOpen && <path d="M4 4l16 16" strokeLinecap="round" />}
    </svg>
  );
}
