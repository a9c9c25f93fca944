import { Loader, Stack } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { Refusal } from '../feedback/refusal.js';
import { defineTexts, useTexts } from '../language/language.js';
import { useAskedProof, usePasswordDue, useSessionState } from '../service/service.js';
import { useKeptAccount } from './kept-account.js';
import { ProfileContext, useProfileQuery } from './profile.js';
import { SignInPage } from './sign-in-page.js';

/** Not loaded for the sign-in page. */
const EndedSession = lazy(() => import('./ended-session.js'));
const StepUp = lazy(() => import('../second-step/step-up.js'));
const PasswordDue = lazy(() => import('./password-due.js'));

const texts = defineTexts({ en: { loading: 'Loading' }, 'zh-CN': { loading: '加载中' } });

/** Shows the page to a signed-in administrator, and the sign-in to everybody else. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const t = useTexts(texts);
  const state = useSessionState();
  const query = useProfileQuery(state === 'open');
  const profile = useKeptAccount(query.data);
  const isPasswordDue = usePasswordDue();
  const askedProof = useAskedProof();

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
    // A session from before the second factor was switched on: nothing else is served, its profile neither.
    if (askedProof !== null) {
      return (
        <Suspense>
          <StepUp reason={askedProof} />
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
        {askedProof !== null && <StepUp reason={askedProof} />}
      </Suspense>
    </ProfileContext>
  );
}
