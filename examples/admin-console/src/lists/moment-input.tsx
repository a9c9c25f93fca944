import { TextInput } from '@mantine/core';
import { useState } from 'react';

export interface MomentInputProps {
  /** The filter's name. Its value is in UTC, so that a link means the same moment everywhere. */
  readonly name: string;
  readonly label: string;
  readonly defaultValue: string | undefined;
}

/** A filter by a moment, typed in the time zone of the browser. */
export function MomentInput({ name, label, defaultValue }: MomentInputProps) {
  const [typed, setTyped] = useState(() => localTextOf(momentOf(defaultValue)));
  // Without a zone, a date and time is read as local.
  const moment = momentOf(typed);
  return (
    <>
      <TextInput
        type="datetime-local"
        step={1}
        label={label}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <input type="hidden" name={name} value={moment === undefined ? '' : new Date(moment).toISOString()} />
    </>
  );
}

/** The moment of a text, as a date and time or in milliseconds since 1970; undefined if it names none. */
export function momentOf(text = ''): number | undefined {
  const millis = new Date(/^\d+$/.test(text) ? Number(text) : text).getTime();
  return Number.isNaN(millis) ? undefined : millis;
}

const MILLIS_PER_MINUTE = 60_000;

/** As the input has it: `2026-11-23T15:31:08`. */
function localTextOf(moment: number | undefined): string {
  if (moment === undefined) return '';
  const shifted = new Date(moment - new Date(moment).getTimezoneOffset() * MILLIS_PER_MINUTE);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}
