import { TextInput } from '@mantine/core';
import { useState } from 'react';

export interface MomentFilterProps {
  readonly name: string;
  readonly label: string;
  /** As in the address: with its zone, so that a link means the same moment everywhere. */
  readonly value: string | undefined;
}

/** A filter by a moment, typed in the time of the browser. */
export function MomentFilter({ name, label, value }: MomentFilterProps) {
  const [typed, setTyped] = useState(() => localOf(value));
  return (
    <>
      <TextInput
        type="datetime-local"
        step={1}
        label={label}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <input type="hidden" name={name} value={typed === '' ? '' : new Date(typed).toISOString()} />
    </>
  );
}

const MILLIS_PER_MINUTE = 60_000;

/** What the input shows: `2026-11-23T15:31:08`. Empty for a text that is no moment. */
function localOf(value: string | undefined): string {
  if (value === undefined) return '';
  const moment = new Date(/^\d+$/.test(value) ? Number(value) : value);
  if (Number.isNaN(moment.getTime())) return '';
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * MILLIS_PER_MINUTE);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}
