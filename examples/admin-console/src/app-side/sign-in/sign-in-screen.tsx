import { Group, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Notice } from '../../feedback/notice.js';
import { useTexts } from '../../language/language.js';
import { useOpenSignOut, useSessionState } from '../../service/service.js';
import { Encryption } from '../../session/encryption.js';
import { Page } from '../../shell/page.js';
import { Preferences } from '../../shell/preferences.js';
import { RECOVERY_PATH } from '../paths.js';
import { useVisit } from '../visit/visit.js';
import { ScreenLink } from './screen-link.js';
import { SignInWays } from './sign-in-ways.js';
import { type ShownNotice, texts } from './texts.js';

/** Loaded after a session has ended. */
const EndNotice = lazy(() => import('../../session/end-notice.js'));

/** After these, the user has a new password. */
const NEW_PASSWORD_NOTICES: readonly (ShownNotice | null)[] = ['recovered', 'password-changed'];

export function SignInScreen() {
  const t = useTexts(texts);
  const { mobile, setMobile, notice: earlier } = useVisit();
  const notice = useOpenSignOut() ? 'sign-out-unsure' : earlier;
  const first = NEW_PASSWORD_NOTICES.includes(notice) ? 'password' : 'code';
  return (
    <Stack>
      <Page title={t.title} purpose={t.newcomers}>
        {useSessionState() === 'ended' && (
          <Suspense>
            <EndNotice />
          </Suspense>
        )}
        {notice !== null && (
          <Notice color={notice === 'sign-out-unsure' ? 'yellow' : 'teal'} text={t.notices[notice]} />
        )}
        <SignInWays mobile={{ value: mobile, onChange: setMobile }} first={first} />
        <ScreenLink path={RECOVERY_PATH}>{t.forgotten}</ScreenLink>
      </Page>
      <Encryption />
      <Group justify="center">
        <Preferences />
      </Group>
    </Stack>
  );
}
