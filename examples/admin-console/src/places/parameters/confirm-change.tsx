import { Button, Group, Stack, Text } from '@mantine/core';
import { RefusedError } from '@sallyport/api-client';
import { ModalFrame } from '../../feedback/modal-frame.js';
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
  return (
    <ModalFrame opened={asked !== null} onClose={edit.dismiss} title={t.confirmTitle}>
      <Stack>
        <Text size="sm">{t.confirmQuestion}</Text>
        {asked?.map((reason) => (
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
    </ModalFrame>
  );
}
