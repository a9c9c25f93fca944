import { TextInput, type TextInputProps } from '@mantine/core';
import type { Ref } from 'react';
import { useTexts } from '../language/language.js';
import { texts } from './texts.js';

/** The field for the code of an authenticator app. */
export function CodeField(props: TextInputProps & { readonly ref?: Ref<HTMLInputElement> }) {
  const t = useTexts(texts);
  return (
    <TextInput
      label={t.code}
      description={t.codeHint}
      inputMode="numeric"
      autoComplete="one-time-code"
      data-autofocus
      required
      withAsterisk={false}
      {...props}
    />
  );
}
