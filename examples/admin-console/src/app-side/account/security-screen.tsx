import { Divider, Stack, Text, Title } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { ConfirmedAction } from '../../feedback/confirmed-action.js';
import { useTexts } from '../../language/language.js';
import OwnFactors from '../../second-step/own-factors.js';
import { useApi, useConnection } from '../../service/service.js';
import { useWrite } from '../../service/write.js';
import { Page } from '../../shell/page.js';
import { useVisit } from '../visit/visit.js';
import { useAccount } from './account.js';
import { PasswordForm } from './password-form.js';
import { texts } from './texts.js';

/** The password, and the end of all sessions. */
export default function SecurityScreen() {
  const t = useTexts(texts);
  const { hasPassword } = useAccount();
  return (
    <Page title={t.security}>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            {hasPassword ? t.changePassword : t.setPassword}
          </Title>
          {!hasPassword && (
            <Text size="sm" c="dimmed">
              {t.noPassword}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {t.endsAll}
          </Text>
        </div>
        <PasswordForm />
      </Stack>
      <Divider />
      <Stack gap="sm" style={{ overflowX: 'auto' }}>
        <Title order={2} size="h5">
          {t.factors}
        </Title>
        <OwnFactors />
      </Stack>
      <Divider />
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            {t.sessions}
          </Title>
          <Text size="sm" c="dimmed">
            {t.sessionsPurpose}
          </Text>
        </div>
        <EndAll />
      </Stack>
    </Page>
  );
}

function EndAll() {
  const t = useTexts(texts);
  const api = useApi();
  const connection = useConnection();
  const { setNotice } = useVisit();
  const end = useWrite(async () => dataOf(await api.DELETE('/app/sessions')), {
    changes: [],
    onDone() {
      setNotice('sessions-ended');
      connection.noteEnd();
    },
  });
  return (
    <ConfirmedAction
      size="md"
      label={t.endAll}
      consequence={t.endAllConsequence}
      action={end}
      onConfirm={() => end.mutate(undefined)}
    />
  );
}
