import { useTexts } from '../../language/language.js';
import { useRoles } from './administrator-records.js';
import { texts } from './texts.js';

/** The names of roles. */
export function RoleNames({ roleIds }: { readonly roleIds: readonly string[] }) {
  const t = useTexts(texts);
  const roles = useRoles();
  if (roleIds.length === 0) return t.noRoles;
  if (roles === null) return t.rolesHidden;
  return roleIds.map((roleId) => roles?.find(({ id }) => id === roleId)?.name ?? '…').join(', ');
}
