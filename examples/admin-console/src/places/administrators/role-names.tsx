import { useTexts } from '../../language/language.js';
import type { KnownRole } from './administrator-records.js';
import { texts } from './texts.js';

export interface RoleNamesProps {
  readonly roleIds: readonly string[];
  /** Null: the user may not see them. Undefined: they are not known yet. */
  readonly roles: readonly KnownRole[] | null | undefined;
}

/** The names of roles. */
export function RoleNames({ roleIds, roles }: RoleNamesProps) {
  const t = useTexts(texts);
  if (roleIds.length === 0) return t.noRoles;
  if (roles === null) return t.rolesHidden;
  return roleIds.map((roleId) => roles?.find(({ id }) => id === roleId)?.name ?? '…').join(', ');
}
