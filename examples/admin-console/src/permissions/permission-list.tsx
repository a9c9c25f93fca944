import { List, SimpleGrid, Text, Title } from '@mantine/core';
import { Loading } from '../feedback/loading.js';
import { Refusal } from '../feedback/refusal.js';
import { useTexts } from '../language/language.js';
import { grantOf } from './grants.js';
import { usePermissionGroups } from './permission-groups.js';
import { texts } from './texts.js';

/** What the grants allow, by group, to read. It stands below a heading of the second level. */
export function PermissionList({ grants }: { readonly grants: readonly string[] }) {
  const t = useTexts(texts);
  const { groups, error, retry } = usePermissionGroups();
  if (error !== null) return <Refusal error={error} onRetry={retry} />;
  if (groups === undefined) return <Loading />;
  const allowed = groups
    .map(({ permissions, ...group }) => ({
      ...group,
      permissions: permissions.filter(({ code }) => grantOf(grants, code) !== undefined),
    }))
    .filter(({ permissions }) => permissions.length > 0);
  if (allowed.length === 0) return <Text c="dimmed">{t.none}</Text>;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {allowed.map(({ name, title, permissions }) => (
        <div key={name}>
          <Title order={3} size="h6">
            {title}
          </Title>
          <List size="sm">
            {permissions.map(({ code, text }) => (
              <List.Item key={code} title={code}>
                {text}
              </List.Item>
            ))}
          </List>
        </div>
      ))}
    </SimpleGrid>
  );
}
