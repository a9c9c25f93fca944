import { Alert, List, Text } from '@mantine/core';
import { useTexts } from '../language/language.js';
import { usePermissionNames } from './permission-difference.js';
import { texts } from './texts.js';

/** Explains which rights keep the user from saving. Nothing if there are none. */
export function UnheldGrants({ grants }: { readonly grants: readonly string[] }) {
  const t = useTexts(texts);
  const nameOf = usePermissionNames();
  if (grants.length === 0) return null;
  return (
    <Alert variant="default">
      <Text size="sm">{t.unheld}</Text>
      <List size="sm">
        {grants.map((grant) => (
          <List.Item key={grant}>{nameOf(grant)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
