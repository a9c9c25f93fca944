import { TextInput } from '@mantine/core';
import { useState } from 'react';

export interface MomentInputProps {
  /** The filter's name. Its value is in milliseconds since 1970. */
  readonly name: string;
  readonly label: string;
  readonly defaultValue: string | undefined;
}

/** A date and time in the zone of the browser. In the address bar it is a moment, the same in every zone. */
export function MomentInput({ name, label, defaultValue }: MomentInputProps) {
  const [millis, setMillis] = useState(momentOf(defaultValue));
  return (
    <>
      <TextInput
        type="datetime-local"
        label={label}
        defaultValue={millis === undefined ? '' : localTextOf(millis)}
        onChange={({ currentTarget: { value } }) => setMillis(value === '' ? undefined : new Date(value).getTime())}
      />
      <input type="hidden" name={name} value={millis ?? ''} />
    </>
  );
}

/** The moment that a filter names, in milliseconds; undefined if it names none. */
export function momentOf(value: string | undefined): number | undefined {
  return value !== undefined && /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined;
}

/** As inputs have it: `2026-11-23T08:00`. */
function localTextOf(millis: number): string {
  const date = new Date(millis);
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  const day = [pad(date.getFullYear(), 4), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}
