import { Button, Stack, Text, Title } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loading } from '../feedback/loading.js';
import { Refusal } from '../feedback/refusal.js';
import { useTexts } from '../language/language.js';
import type { PendingSignIn } from '../service/connection.js';
import { useApi, useConnection } from '../service/service.js';
import { type CompletedSignIn, Enrolment } from './enrolment.js';
import { ProofForm } from './proof-form.js';
import { RecoveryCodes } from './recovery-codes.js';
import { texts } from './texts.js';

/** The second step of a sign-in: a proof or, where one is demanded and missing, the set-up of a factor. */
export default function SecondStep({ pending }: { readonly pending: PendingSignIn }) {
  const t = useTexts(texts);
  const connection = useConnection();
  const [isEnrolled, setEnrolled] = useState(false);

  function complete({ deviceToken }: { readonly deviceToken?: string | undefined }) {
    if (deviceToken !== undefined) pending.keepDevice(deviceToken);
  }

  function enrolled(signIn: CompletedSignIn | undefined) {
    if (signIn === undefined) return;
    connection.client.takeToken(signIn.token);
    complete(signIn);
    setEnrolled(true);
  }

  if (isEnrolled) return <FirstCodes />;
  return (
    <Stack>
      <div role="status">
        <Title order={2} size="h5">
          {pending.mustEnrol ? t.mustEnrol : t.title}
        </Title>
        <Text size="sm" c="dimmed">
          {pending.mustEnrol ? t.mustEnrolPurpose : t.signInPurpose}
        </Text>
      </div>
      {pending.mustEnrol ? (
        <Enrolment onEnrolled={enrolled} />
      ) : (
        <ProofForm
          kinds={pending.kinds}
          deviceToken={pending.deviceToken}
          onProven={(proven) => {
            complete(proven);
            connection.noteSignIn();
          }}
        />
      )}
      <Button variant="subtle" size="xs" onClick={() => connection.notePending(null)}>
        {t.back}
      </Button>
    </Stack>
  );
}

/** The recovery codes, made before the page opens: afterwards nobody thinks of them. */
function FirstCodes() {
  const t = useTexts(texts);
  const api = useApi();
  const connection = useConnection();
  const { data, error } = useQuery({
    queryKey: ['first-recovery-codes'],
    queryFn: async () => dataOf(await api.POST('/auth/second-factors/recovery-codes')).data,
    // Each reading would end the codes of the one before.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  return (
    <Stack>
      <Title order={2} size="h5">
        {t.codesTitle}
      </Title>
      {data !== undefined && <RecoveryCodes codes={data.codes} />}
      {data === undefined && error === null && <Loading />}
      <Refusal error={error} />
      <Button onClick={() => connection.noteSignIn()}>{data === undefined ? t.makeLater : t.goOn}</Button>
    </Stack>
  );
}
