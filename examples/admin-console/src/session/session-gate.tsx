import { Loader, Stack } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { Refusal } from '../feedback/refusal.js';
import { defineTexts, useTexts } from '../language/language.js';
import { usePasswordDue, useSessionState } from '../service/service.js';
import { useKeptAccount } from './kept-account.js';
import { ProfileContext, useProfileQuery } from './profile.js';
import { SignInPage } from './sign-in-page.js';

/** Not loaded for the sign-in page. */
const EndedSession = lazy(() => import('./ended-session.js'));
const PasswordDue = lazy(() => import('./password-due.js'));

const texts = defineTexts({ en: { loading: 'Loading' }, 'zh-CN': { loading: '加载中' } });

/** Shows the page to a signed-in administrator, and the sign-in to everybody else. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const t = useTexts(texts);
  const state = useSessionState();
  const query = useProfileQuery(state === 'open');
  const profile = useKeptAccount(query.data);
  const isPasswordDue = usePasswordDue();

  if (profile === null) {
    if (state !== 'open') return <SignInPage />;
    // Nothing of the account can be read.
    if (isPasswordDue) {
      return (
        <Suspense>
          <PasswordDue username={null} />
        </Suspense>
      );
    }
    return (
      <Stack align="center" p="xl" component="main">
        {query.error === null ? (
          <Loader role="status" aria-label={t.loading} />
        ) : (
          <Refusal error={query.error} onRetry={() => query.refetch()} />
        )}
      </Stack>
    );
  }
  return (
    // Another user gets a new page: nothing that the last one typed or read stays.
    <ProfileContext value={profile} key={profile.id}>
      <Suspense>{children}</Suspense>
      <Suspense>
        <EndedSession hasEnded={state === 'ended'} username={profile.username} />
        {isPasswordDue && <PasswordDue username={profile.username} />}
      </Suspense>
    </ProfileContext>
  );
}
