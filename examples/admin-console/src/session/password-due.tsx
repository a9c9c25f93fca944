import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { defineTexts, useTexts } from '../language/language.js';
import { PasswordForm } from '../places/profile/password-form.js';
import { useConnection } from '../service/service.js';
import { SESSION_LAYER } from './ended-session.js';

const texts = defineTexts({
  en: {
    title: 'Change your password',
    explanation:
      'Before anything else you have to change your password: it is too old, or somebody else has set it. What you typed is still in the page.',
    signOut: 'Sign out',
  },
  'zh-CN': {
    title: '修改密码',
    explanation: '请先修改密码：当前密码已过期，或由他人设置。您输入的内容仍在页面中。',
    signOut: '退出登录',
  },
});

/** Leads to the change of the password, over the page as it was. Null: the name of the user is not known. */
export default function PasswordDue({ username }: { readonly username: string | null }) {
  const t = useTexts(texts);
  const connection = useConnection();
  const { token } = connection.client;
  return (
    <Modal
      opened
      zIndex={SESSION_LAYER}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t.title}
    >
      <Stack>
        <Text size="sm">{t.explanation}</Text>
        {/* The change has ended the session: the sign-in says so. */}
        <PasswordForm
          username={username}
          onDone={() => connection.noteAnswer({ status: 401, code: 'PASSWORD_CHANGED' }, token)}
        />
        <Group justify="flex-end">
          <Button variant="subtle" size="xs" onClick={connection.signOut}>
            {t.signOut}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
