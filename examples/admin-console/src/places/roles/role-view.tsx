import { Alert, Stack, Text } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import { EVERY, isFamily, unheldOf } from '../../permissions/grants.js';
import { PermissionList } from '../../permissions/permission-list.js';
import type { Role } from '../../permissions/roles.js';
import { useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** What a role may do, for users who cannot change it. */
export function RoleView({ role: { permissions } }: { readonly role: Role }) {
  const t = useTexts(texts);
  const { grants } = useProfile();
  const families = permissions.filter((grant) => isFamily(grant) && grant !== EVERY);
  return (
    <Stack>
      {unheldOf(grants, permissions).length > 0 && (
        <Alert variant="default">
          <Text size="sm">{t.notYours}</Text>
        </Alert>
      )}
      {permissions.includes(EVERY) && <Text size="sm">{t.everyAlsoLater}</Text>}
      {families.length > 0 && <Text size="sm">{t.familiesAlsoLater(families.join(', '))}</Text>}
      <PermissionList grants={permissions} />
    </Stack>
  );
}
