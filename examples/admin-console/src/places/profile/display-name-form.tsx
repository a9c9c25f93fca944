import { Button, Group, Stack, TextInput } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { type FormEvent, useState } from 'react';
import { useFieldFaults } from '../../feedback/field-faults.js';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { PROFILE_KEY, useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** Changes the own display name. */
export function DisplayNameForm() {
  const t = useTexts(texts);
  const api = useApi();
  const { displayName: stored } = useProfile();
  const [displayName, setDisplayName] = useState(stored);
  const save = useWrite(
    async (name: string) => dataOf(await api.PUT('/admin/profile', { body: { displayName: name } })),
    { changes: [PROFILE_KEY, ['administrators']], onDone: () => notifyDone(t.saved) },
  );
  const faults = useFieldFaults(save.error, { displayName: t.displayName });

  function submit(event: FormEvent) {
    event.preventDefault();
    save.mutate(displayName);
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t.displayName}
          description={t.displayNameHint}
          required
          maxLength={64}
          autoComplete="name"
          value={displayName}
          error={displayName === save.variables ? faults.displayName : undefined}
          onChange={({ currentTarget }) => setDisplayName(currentTarget.value)}
        />
        <Refusal error={save.error} fields={['displayName']} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={displayName === stored}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
