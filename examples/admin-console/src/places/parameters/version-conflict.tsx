import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { useAdministratorName } from '../../session/administrator-name.js';
import type { Parameter } from './parameter.js';
import type { ParameterEdit } from './parameter-changes.js';
import { texts } from './texts.js';
import { useValueText } from './value-text.js';

export interface VersionConflictProps {
  readonly parameter: Parameter;
  readonly began: Parameter;
  readonly edit: ParameterEdit;
}

/** Shows the user's value next to the one that somebody else has saved, and lets the user choose. */
export function VersionConflict({ parameter, began, edit }: VersionConflictProps) {
  const t = useTexts(texts);
  const { dateTime } = useFormats();
  const valueText = useValueText(parameter);
  const name = useAdministratorName(parameter.updatedBy ?? null, t.you);
  const time = typeof parameter.updatedAt === 'number' ? dateTime(parameter.updatedAt) : '';
  const values = [
    { label: t.before, value: valueText(began.value) },
    { label: t.theirs(name, time), value: valueText(parameter.value) },
    { label: t.mine, value: valueText(edit.draft) },
  ];
  return (
    <Alert variant="default" title={t.conflict} role="alert">
      <Stack gap="sm">
        {values.map(({ label, value }) => (
          <div key={label}>
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
        <Group gap="xs">
          <Button size="xs" loading={edit.isSaving} onClick={edit.save}>
            {t.saveMine}
          </Button>
          <Button size="xs" variant="default" onClick={edit.discard}>
            {t.takeTheirs}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
