import { Button, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../language/language.js';
import type { PendingSignIn } from '../service/connection.js';
import { useConnection } from '../service/service.js';
import { type CompletedSignIn, Enrolment } from './enrolment.js';
import { ProofForm } from './proof-form.js';
import { FirstCodes } from './recovery-codes.js';
import { texts } from './texts.js';

/** There is no field to begin with. */
const focusOn = (element: HTMLElement | null) => element?.focus();

/** The second step of a sign-in: a proof or, where one is demanded and missing, the set-up of a factor. */
export default function SecondStep({ pending }: { readonly pending: PendingSignIn }) {
  const t = useTexts(texts);
  const connection = useConnection();
  const [isEnrolled, setEnrolled] = useState(false);

  const step = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The form before took the focus with it. Where a passkey is all that there is to use, there is no field.
    const field = step.current?.querySelector<HTMLElement>('[data-autofocus]');
    (field ?? heading.current)?.focus();
  }, []);

  function complete({ deviceToken }: { readonly deviceToken?: string | undefined }) {
    if (deviceToken !== undefined) pending.keepDevice(deviceToken);
  }

  function enrolled(signIn: CompletedSignIn | undefined) {
    if (signIn === undefined) return;
    connection.client.takeToken(signIn.token);
    complete(signIn);
    setEnrolled(true);
  }

  if (isEnrolled) {
    return (
      <Stack>
        <Title order={2} size="h5" tabIndex={-1} ref={focusOn}>
          {t.codesTitle}
        </Title>
        <FirstCodes onDone={() => connection.noteSignIn()} />
      </Stack>
    );
  }
  return (
    <Stack ref={step}>
      <div role="status">
        <Title order={2} size="h5" tabIndex={-1} ref={heading}>
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
