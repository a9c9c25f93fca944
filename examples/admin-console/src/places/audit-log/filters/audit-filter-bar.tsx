import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useId, useState } from 'react';
import { useTexts } from '../../../language/language.js';
import { FilterBar } from '../../../lists/filter-bar.js';
import { MomentInput } from '../../../lists/moment-input.js';
import { SHOWN } from '../action-filter.js';
import { useActionNames } from '../action-names.js';
import { OUTCOMES, type useAuditFilters } from '../audit-records.js';
import { texts } from '../texts.js';
import { ActionInput } from './action-input.js';
import { findAction } from './find-action.js';

export interface AuditFilterBarProps extends Pick<ReturnType<typeof useAuditFilters>, 'filters' | 'hidesReads'> {
  readonly outcome: (typeof OUTCOMES)[number] | undefined;
}

/** The actor and the action; the other filters on request, or if one of them is set. */
export function AuditFilterBar({ filters, outcome, hidesReads }: AuditFilterBarProps) {
  const t = useTexts(texts);
  const names = useActionNames();
  const more = useId();
  const { values } = filters;
  const { actor, action, ...folded } = values;
  const hasFolded = Object.keys(folded).length > 0;
  const [isOpen, setOpen] = useState(hasFolded);
  const [nearest, setNearest] = useState<readonly string[] | null>(null);
  // A link, too, may set one of them.
  useEffect(() => {
    if (hasFolded) setOpen(true);
  }, [hasFolded]);
  const applied = JSON.stringify(values);
  useEffect(() => setNearest(null), [applied]);

  /** An action that does not exist would find nothing, which reads as if nothing had happened. */
  function refine(form: FormData): boolean {
    const typed = form.get('action');
    const found = typeof typed === 'string' && typed.trim() !== '' ? findAction(typed, names) : { action: '' };
    setNearest('nearest' in found ? found.nearest : null);
    if ('nearest' in found) return false;
    form.set('action', found.action);
    return true;
  }

  return (
    <FilterBar filters={filters} refine={refine}>
      <TextInput name="actor" label={t.actor} placeholder={t.actorHint} defaultValue={actor ?? ''} />
      <ActionInput defaultValue={action ?? ''} names={names} nearest={nearest} onChange={() => setNearest(null)} />
      <Button
        type="button"
        variant="subtle"
        aria-expanded={isOpen}
        aria-controls={more}
        onClick={() => setOpen(!isOpen)}
      >
        {t.moreFilters}
      </Button>
      {/* Folded ones stay in the form: they apply, and are cleared, as if they were seen. */}
      <Group id={more} align="flex-end" gap="sm" display={isOpen ? 'contents' : 'none'}>
        <MomentInput name="from" label={t.from} defaultValue={values.from} />
        <MomentInput name="to" label={t.to} defaultValue={values.to} />
        <TextInput name="target" label={t.target} placeholder={t.targetHint} defaultValue={values.target ?? ''} />
        <TextInput name="ip" label={t.address} defaultValue={values.ip ?? ''} />
        <TextInput name="network" label={t.network} placeholder="203.0.113.0/24" defaultValue={values.network ?? ''} />
        <NativeSelect
          name="outcome"
          label={t.outcome}
          defaultValue={outcome ?? ''}
          data={[
            { value: '', label: t.anyOutcome },
            ...OUTCOMES.map((each) => ({ value: each, label: t.outcomes[each] })),
          ]}
        />
        <TextInput name="reason" label={t.reason} placeholder="LOGIN_LOCKED" defaultValue={values.reason ?? ''} />
        <TextInput name="requestId" label={t.requestId} defaultValue={values.requestId ?? ''} />
        <Checkbox
          name="reads"
          value={SHOWN}
          label={t.withReads}
          mb={8}
          defaultChecked={!hidesReads}
          onChange={({ currentTarget }) => currentTarget.form?.requestSubmit()}
        />
      </Group>
    </FilterBar>
  );
}
