import { Avatar, Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { type FormEvent, useState } from 'react';
import { notifyDone } from '../../feedback/notify.js';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { Page } from '../../shell/page.js';
import { Preferences } from '../../shell/preferences.js';
import { useSignOut } from '../visit/visit.js';
import { ACCOUNT_KEY, useAccount } from './account.js';
import { texts } from './texts.js';

/** The account, how the app looks, and the way out. */
export function ProfileScreen() {
  const t = useTexts(texts);
  const { mobile, displayName } = useAccount();
  return (
    <Page title={t.profile}>
      <Group wrap="nowrap">
        <Avatar name={displayName === '' ? '#' : displayName} color="initials" size="lg" aria-hidden alt="" />
        <div>
          {displayName !== '' && (
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {displayName}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {mobile}
          </Text>
        </div>
      </Group>
      <NameForm />
      <Divider label={t.preferences} labelPosition="left" />
      <Preferences />
      <Divider />
      <SignOut />
    </Page>
  );
}

function NameForm() {
  const t = useTexts(texts);
  const api = useApi();
  const account = useAccount();
  const [displayName, setDisplayName] = useState(account.displayName);
  const save = useWrite(
    async (name: string) => dataOf(await api.PUT('/app/profile', { body: { displayName: name } })),
    { changes: [ACCOUNT_KEY], onDone: () => notifyDone(t.saved) },
  );

  function submit(event: FormEvent) {
    event.preventDefault();
    save.mutate(displayName);
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t.displayName}
          name="displayName"
          autoComplete="nickname"
          required
          withAsterisk={false}
          maxLength={64}
          size="md"
          value={displayName}
          onChange={({ currentTarget }) => setDisplayName(currentTarget.value)}
        />
        <Refusal error={save.error} />
        <Button type="submit" size="md" loading={save.isPending} disabled={displayName === account.displayName}>
          {t.save}
        </Button>
      </Stack>
    </form>
  );
}

function SignOut() {
  const t = useTexts(texts);
  const signOut = useSignOut();
  return (
    <Button variant="default" size="md" onClick={signOut}>
      {t.signOut}
    </Button>
  );
}
