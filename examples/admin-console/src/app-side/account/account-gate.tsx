import { Box, Button, Center, Loader, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useBrowserLocation } from 'wouter/use-browser-location';
import { Refusal } from '../../feedback/refusal.js';
import { defineTexts, useTexts } from '../../language/language.js';
import { useAskedProof, usePasswordDue, useSessionState } from '../../service/service.js';
import { useKeptAccount } from '../../session/kept-account.js';
import { RECOVERY_PATH } from '../paths.js';
import { Screen } from '../phone/screen.js';
import { EndedSession } from '../sign-in/ended-session.js';
import { SignInScreen } from '../sign-in/sign-in-screen.js';
import { useSignOut } from '../visit/visit.js';
import { AccountContext, useAccountQuery } from './account.js';

/** Not loaded for the sign-in. */
const SignedIn = lazy(() => import('./signed-in.js'));
const StepUp = lazy(() => import('../../second-step/step-up.js'));
const PasswordDue = lazy(() => import('./password-due.js'));
const RecoveryScreen = lazy(() => import('../sign-in/recovery-screen.js'));

const texts = defineTexts({
  en: { loading: 'Loading', other: 'Sign in again' },
  'zh-CN': { loading: '加载中', other: '重新登录' },
});

/** Shows the app to a signed-in user, and the sign-in to everybody else. */
export function AccountGate() {
  const t = useTexts(texts);
  const state = useSessionState();
  const signOut = useSignOut();
  const query = useAccountQuery(state === 'open');
  const account = useKeptAccount(query.data);
  const isPasswordDue = usePasswordDue();
  const askedProof = useAskedProof();

  if (account === null) {
    if (state !== 'open') return <SignedOut />;
    if (isPasswordDue) {
      return (
        <Screen>
          <Suspense fallback={<Waiting />}>
            <PasswordDue account={null} />
          </Suspense>
        </Screen>
      );
    }
    return (
      <Screen>
        {askedProof !== null && (
          <Suspense>
            <StepUp reason={askedProof} />
          </Suspense>
        )}
        {query.error === null ? (
          <Waiting />
        ) : (
          <Stack>
            <Refusal error={query.error} onRetry={() => void query.refetch()} />
            <Button variant="subtle" onClick={signOut}>
              {t.other}
            </Button>
          </Stack>
        )}
      </Screen>
    );
  }
  const hasEnded = state === 'ended';
  return (
    // Another user gets new screens: nothing that the last one typed or read stays.
    <AccountContext value={account} key={account.mobile}>
      <Box display={hasEnded || isPasswordDue ? 'none' : 'contents'}>
        <Suspense fallback={<Waiting />}>
          <SignedIn />
        </Suspense>
      </Box>
      {isPasswordDue && (
        <Screen>
          <Suspense fallback={<Waiting />}>
            <PasswordDue account={account} />
          </Suspense>
        </Screen>
      )}
      {askedProof !== null && (
        <Suspense>
          <StepUp reason={askedProof} />
        </Suspense>
      )}
      {hasEnded && (
        <Screen>
          <EndedSession mobile={account.mobile} hasPassword={account.hasPassword} />
        </Screen>
      )}
    </AccountContext>
  );
}

function SignedOut() {
  const [path] = useBrowserLocation();
  return (
    <Screen>
      <Suspense fallback={<Waiting />}>{path === RECOVERY_PATH ? <RecoveryScreen /> : <SignInScreen />}</Suspense>
    </Screen>
  );
}

function Waiting() {
  const t = useTexts(texts);
  return (
    <Center p="xl">
      <Loader aria-label={t.loading} />
    </Center>
  );
}
