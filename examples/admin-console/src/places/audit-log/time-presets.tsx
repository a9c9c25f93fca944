import { Button, Group } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import type { Filters } from '../../lists/filters.js';
import { texts } from './texts.js';

const HOUR = 3_600_000;
const PRESETS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const;
const NAMES = ['hour', 'day', 'week'] as const;

/** Sets the time to the last hour, day or week. The other filters stay. */
export function TimePresets({ filters }: { readonly filters: Filters<string> }) {
  const t = useTexts(texts);
  function choose(millis: number) {
    const form = new FormData();
    for (const [name, value] of Object.entries(filters.values)) if (value !== undefined) form.set(name, value);
    form.set('from', new Date(Date.now() - millis).toISOString());
    form.delete('to');
    filters.apply(form);
  }
  return (
    <Group gap="xs" role="group" aria-label={t.presets}>
      {NAMES.map((name) => (
        <Button key={name} size="compact-sm" variant="default" onClick={() => choose(PRESETS[name])}>
          {t.lastTimes[name]}
        </Button>
      ))}
    </Group>
  );
}
