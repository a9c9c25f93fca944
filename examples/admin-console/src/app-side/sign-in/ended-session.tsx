import { Button, Stack } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import { Page } from '../../shell/page.js';
import { useSignOut } from '../visit/visit.js';
import { SignInWays } from './sign-in-ways.js';
import { texts } from './texts.js';

/** Signs the user in again. The screen behind it keeps what was typed. */
export function EndedSession({ mobile, hasPassword }: { readonly mobile: string; readonly hasPassword: boolean }) {
  const t = useTexts(texts);
  const signOut = useSignOut();
  return (
    <Stack>
      <Page title={t.ended} purpose={t.endedReason}>
        <SignInWays mobile={{ value: mobile }} first={hasPassword ? 'password' : 'code'} />
        <Button variant="subtle" size="sm" onClick={signOut}>
          {t.other}
        </Button>
      </Page>
    </Stack>
  );
}
