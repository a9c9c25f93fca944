import { List, Loader, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Refusal } from '../../feedback/refusal.js';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import { usePermissionGroups } from '../../permissions/permission-groups.js';
import { useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** What the user may do, by group. */
export function OwnPermissions() {
  const t = useTexts(texts);
  const { number } = useFormats();
  const { permissions } = useProfile();
  const { groups, error, retry } = usePermissionGroups();
  if (error !== null) return <Refusal error={error} onRetry={retry} />;
  if (groups === undefined) return <Loader size="sm" />;
  const held = groups
    .map((group) => ({ ...group, permissions: group.permissions.filter(({ code }) => permissions.includes(code)) }))
    .filter((group) => group.permissions.length > 0);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {held.length === 0 ? t.none : t.permissionsHint(number(permissions.length))}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {held.map(({ name, title, permissions: own }) => (
          <div key={name}>
            <Title order={3} size="h6">
              {title}
            </Title>
            <List size="sm">
              {own.map(({ code, text }) => (
                <List.Item key={code} title={code}>
                  {text}
                </List.Item>
              ))}
            </List>
          </div>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
