import { Button, Stack, Text } from '@mantine/core';
import { dataOf } from '@sallyport/api-client';
import { useState } from 'react';
import { ConfirmedAction } from '../feedback/confirmed-action.js';
import { CopyableText } from '../feedback/copyable-text.js';
import { Dialog } from '../feedback/dialog.js';
import { notifyDone } from '../feedback/notify.js';
import { useFormats } from '../language/formats.js';
import { useTexts } from '../language/language.js';
import { SESSIONS_KEY } from '../service/queries.js';
import { useApi } from '../service/service.js';
import { useWrite } from '../service/write.js';
import { texts } from './texts.js';

export interface AccountFactorsProps {
  readonly audience: 'admin' | 'app';
  readonly id: string;
  /** As the operator knows the account. */
  readonly name: string;
}

/** What an administrator does for somebody who has lost a second factor. */
export function AccountFactors({ audience, id, name }: AccountFactorsProps) {
  const t = useTexts(texts);
  const api = useApi();
  const { dateTime } = useFormats();
  const [issued, setIssued] = useState<{ readonly code: string; readonly expiresAt: number } | null>(null);
  const params = { path: { id } };
  const reset = useWrite(
    async () =>
      dataOf(
        audience === 'admin'
          ? await api.DELETE('/admin/administrators/{id}/second-factors', { params })
          : await api.DELETE('/admin/app-users/{id}/second-factors', { params }),
      ),
    { changes: [SESSIONS_KEY], onDone: () => notifyDone(t.wasReset(name)) },
  );
  const issue = useWrite(
    async () =>
      dataOf(
        audience === 'admin'
          ? await api.POST('/admin/administrators/{id}/second-factors/enrolment-code', { params })
          : await api.POST('/admin/app-users/{id}/second-factors/enrolment-code', { params }),
      ).data,
    { changes: [], onDone: setIssued },
  );
  return (
    <>
      <ConfirmedAction
        size="compact-sm"
        label={t.reset}
        consequence={t.resetConsequence(name)}
        action={reset}
        onConfirm={(done) => reset.mutate(undefined, { onSuccess: done })}
      />
      <ConfirmedAction
        size="compact-sm"
        color="gray"
        label={t.issue}
        consequence={t.issueConsequence(name)}
        action={issue}
        onConfirm={(done) => issue.mutate(undefined, { onSuccess: done })}
      />
      <Dialog opened={issued !== null} title={t.issue} onClose={() => setIssued(null)}>
        {issued !== null && (
          <Stack>
            <Text size="sm">{t.issued(name, dateTime(issued.expiresAt))}</Text>
            <CopyableText label={t.enrolmentCode} value={issued.code} />
            <Button onClick={() => setIssued(null)}>{t.done}</Button>
          </Stack>
        )}
      </Dialog>
    </>
  );
}
