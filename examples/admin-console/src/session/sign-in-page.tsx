import { Group, Paper, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Notice } from '../feedback/notice.js';
import { defineTexts, useTexts } from '../language/language.js';
import { useConnection, useOpenSignOut, useSessionState } from '../service/service.js';
import { Mark } from '../shell/mark.js';
import { Preferences } from '../shell/preferences.js';
import { Encryption } from './encryption.js';
import { SignInForm } from './sign-in-form.js';

/** Loaded after a session has ended. */
const EndNotice = lazy(() => import('./end-notice.js'));

const texts = defineTexts({
  en: {
    title: 'Sallyport console',
    purpose: 'Sign in to administer the service.',
    app: 'Open the app user’s side',
    open: 'You are signed out here. The service did not confirm it: the session may stay open there until it expires.',
  },
  'zh-CN': {
    title: 'Sallyport 控制台',
    purpose: '登录以管理服务。',
    app: '前往 App 用户端',
    open: '本页已退出登录，但服务尚未确认：该会话在服务端可能持续到过期为止。',
  },
});

export function SignInPage() {
  const t = useTexts(texts);
  const connection = useConnection();
  // The reason changes with it.
  useSessionState();
  return (
    <Stack mih="100dvh" p="md" align="center" justify="center" component="main">
      <Stack w="100%" maw={400}>
        <Paper withBorder shadow="sm" p="lg" radius="md">
          <Stack>
            <Group gap="sm" wrap="nowrap">
              <Mark size={40} />
              <div>
                <Text component="h1" fz={22} fw={700} lh={1.2} m={0}>
                  {t.title}
                </Text>
                <Text size="sm" c="dimmed">
                  {t.purpose}
                </Text>
              </div>
            </Group>
            {connection.endedBy !== null && (
              <Suspense>
                <EndNotice />
              </Suspense>
            )}
            {useOpenSignOut() && <Notice color="yellow" text={t.open} />}
            <SignInForm />
            <Encryption />
          </Stack>
        </Paper>
        <Group justify="center">
          <Preferences />
          <Text component="a" href="/console/app" size="xs" td="underline">
            {t.app}
          </Text>
        </Group>
      </Stack>
    </Stack>
  );
}
