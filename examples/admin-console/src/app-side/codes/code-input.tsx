import { TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTexts } from '../../language/language.js';
import { useCodeInput } from '../outbox/code-inputs.js';
import type { SentCode } from '../visit/visit.js';
import { texts } from './texts.js';

export interface CodeInputProps {
  readonly sent: SentCode | null;
  readonly value: string;
  onChange(value: string): void;
}

/** The code of a text message. The phone may fill it in, and so may the outbox next to it. */
export function CodeInput({ sent, value, onChange }: CodeInputProps) {
  const t = useTexts(texts);
  const input = useRef<HTMLInputElement>(null);
  useCodeInput((code) => {
    onChange(code);
    input.current?.focus();
  });
  // After a send, the code is what the user types next.
  useEffect(() => {
    if (sent !== null) input.current?.focus();
  }, [sent]);
  return (
    <TextInput
      ref={input}
      label={t.code}
      name="smsCode"
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      withAsterisk={false}
      maxLength={32}
      size="md"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
