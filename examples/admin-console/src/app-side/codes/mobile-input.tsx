import { TextInput } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import { texts } from './texts.js';

export interface MobileInputProps {
  readonly value: string;
  /** Absent: the number is settled. */
  readonly onChange?: (value: string) => void;
}

/** A mobile number as people write it. Which numbers are accepted is the service's business. */
export function MobileInput({ value, onChange }: MobileInputProps) {
  const t = useTexts(texts);
  return (
    <TextInput
      label={t.mobile}
      name="mobile"
      type="tel"
      autoComplete="tel"
      required
      withAsterisk={false}
      maxLength={32}
      size="md"
      readOnly={onChange === undefined}
      value={value}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
    />
  );
}
