import { Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { PermissionList } from '../../permissions/permission-list.js';
import { useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** What the user may do, by group. */
export function OwnPermissions() {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { permissions } = useProfile();
  if (permissions.length === 0) return <Text c="dimmed">{t.none}</Text>;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t.permissionsHint(number(permissions.length))}
      </Text>
      <PermissionList grants={permissions} />
    </Stack>
  );
}
