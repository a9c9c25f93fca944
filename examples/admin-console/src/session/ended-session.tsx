import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';
import { useConnection } from '../service/service.js';
import { useEndReason } from './end-reason.js';
import { SignInForm } from './sign-in-form.js';

const texts = defineTexts({
  en: {
    ended: 'Your session has ended',
    explanation: (reason: string) => `${reason} Sign in again to go on: what you typed is still in the page.`,
    other: 'Sign in as somebody else',
  },
  'zh-CN': {
    ended: '会话已结束',
    explanation: (reason: string) => `${reason}重新登录即可继续，您输入的内容仍在页面中。`,
    other: '以其他用户登录',
  },
});

/** Above the dialogs (200) and menus (300) of the page, in whatever order both were opened; below the notices (400). */
export const SESSION_LAYER = 350;

export interface EndedSessionProps {
  readonly hasEnded: boolean;
  readonly username: string;
}

/** Signs the user in again, over the page as it was. */
export default function EndedSession({ hasEnded, username }: EndedSessionProps) {
  const t = useTexts(texts);
  const connection = useConnection();
  return (
    <Modal
      opened={hasEnded}
      zIndex={SESSION_LAYER}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t.ended}
    >
      <Stack>
        <Text size="sm">{t.explanation(useEndReason())}</Text>
        <SignInForm username={username} />
        <Group justify="flex-end">
          <Button variant="subtle" size="xs" onClick={connection.signOut}>
            {t.other}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
