import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { RefusedError } from '@sallyport/api-client';
import { useEffect, useState } from 'react';
import { useTexts } from '../../language/language.js';
import type { ParameterEdit } from './parameter-changes.js';
import { texts } from './texts.js';

/** The reasons for which the service wants a change confirmed. Null: it does not. */
export function confirmationOf(error: Error | null): readonly string[] | null {
  if (!(error instanceof RefusedError) || error.code !== 'PARAMETER_CONFIRMATION_NEEDED') return null;
  const reasons = error.problem.errors?.map(({ detail }) => detail) ?? [];
  return reasons.length > 0 ? reasons : [error.problem.detail];
}

export interface ConfirmChangeProps {
  readonly edit: ParameterEdit;
  /** What the page itself knows of the consequence. */
  readonly warning: string | null;
}

/** Asks for what the service wants confirmed, with the reason that it gives. */
export function ConfirmChange({ edit, warning }: ConfirmChangeProps) {
  const t = useTexts(texts);
  const asked = confirmationOf(edit.error);
  // What was asked stays in the dialog while it closes.
  const [reasons, setReasons] = useState<readonly string[]>([]);
  useEffect(() => {
    const latest = confirmationOf(edit.error);
    if (latest !== null) setReasons(latest);
  }, [edit.error]);
  return (
    <Modal
      opened={asked !== null}
      onClose={edit.dismiss}
      title={t.confirmTitle}
      closeButtonProps={{ 'aria-label': t.cancel }}
    >
      <Stack>
        <Text size="sm">{t.confirmQuestion}</Text>
        {(asked ?? reasons).map((reason) => (
          <Text key={reason} size="sm" fw={600}>
            {reason}
          </Text>
        ))}
        {warning !== null && <Text size="sm">{warning}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={edit.dismiss} data-autofocus>
            {t.cancel}
          </Button>
          <Button color="red" loading={edit.isSaving} onClick={edit.confirm}>
            {t.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
