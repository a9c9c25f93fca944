import { Button, Group } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { defineTexts, useTexts } from '../language/language.js';
import type { Filters } from './filters.js';

const texts = defineTexts({
  en: { search: 'Search', clear: 'Clear the filters' },
  'zh-CN': { search: '搜索', clear: '清除筛选' },
});

export interface FilterBarProps<Name extends string> {
  readonly filters: Filters<Name>;
  /** Inputs with the names of the filters, and `defaultValue={filters.values.NAME ?? ''}`. */
  readonly children: ReactNode;
  /** Completes what was typed. False if it cannot be applied, which the inputs then say. Default: all can. */
  refine?(form: FormData): boolean;
}

/** The form above a list. Its inputs are applied together, by Enter or by the button. */
export function FilterBar<Name extends string>({ filters, children, refine }: FilterBarProps<Name>) {
  const t = useTexts(texts);
  const applied = JSON.stringify(filters.values);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    if (refine?.(form) !== false) filters.apply(form);
  }

  return (
    // The key puts the applied values into the inputs after Back.
    <form onSubmit={submit} key={applied}>
      <Group align="flex-end" gap="sm">
        {children}
        <Button type="submit" variant="default">
          {t.search}
        </Button>
        {applied !== '{}' && (
          <Button type="button" variant="subtle" onClick={() => filters.apply(new FormData())}>
            {t.clear}
          </Button>
        )}
      </Group>
    </form>
  );
}
