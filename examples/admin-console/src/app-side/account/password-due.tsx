import { Button, Stack } from '@mantine/core';
import { defineTexts, useTexts } from '../../language/language.js';
import { Page } from '../../shell/page.js';
import { useSignOut, useVisit } from '../visit/visit.js';
import { type Account, AccountContext } from './account.js';
import { PasswordForm } from './password-form.js';

const texts = defineTexts({
  en: {
    title: 'Change your password',
    explanation: 'Your password is too old. Before anything else you have to change it.',
    signOut: 'Sign out',
  },
  'zh-CN': { title: '修改密码', explanation: '当前密码已过期，请先修改密码。', signOut: '退出登录' },
});

/** Leads to the change of the password: nothing else is served. Null: nothing of the account could be read. */
export default function PasswordDue({ account }: { readonly account: Account | null }) {
  const t = useTexts(texts);
  const signOut = useSignOut();
  const { mobile } = useVisit();
  return (
    <AccountContext value={account ?? { mobile, displayName: '', hasPassword: true }}>
      <Stack>
        <Page title={t.title} purpose={t.explanation}>
          <PasswordForm />
          <Button variant="subtle" size="sm" onClick={signOut}>
            {t.signOut}
          </Button>
        </Page>
      </Stack>
    </AccountContext>
  );
}
