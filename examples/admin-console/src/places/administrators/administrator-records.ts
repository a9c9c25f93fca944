import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { unheldOf } from '../../permissions/grants.js';
import { ROLES_KEY, type Role, readAllRoles } from '../../permissions/roles.js';
import { useApi } from '../../service/service.js';
import { useMay, useProfile } from '../../session/profile.js';

export type Administrator = components['schemas']['Administrator'];

/** A role, as the list of accounts has it. */
export type KnownRole = Pick<Role, 'id' | 'name' | 'permissions'>;

export const ADMINISTRATORS_KEY = ['administrators'] as const;

/** All roles; null if the user may not see them, undefined until they are known. */
export function useRoles(): readonly Role[] | null | undefined {
  const api = useApi();
  const maySee = useMay()('api:admin:roles:list');
  const { data, error } = useQuery({
    queryKey: [...ROLES_KEY, 'all'],
    queryFn: ({ signal }) => readAllRoles(api, signal),
    enabled: maySee,
  });
  return maySee && error === null ? data : null;
}

/**
 * Whether the user may change an account: who lacks a right of it may not. Where the roles are hidden the service
 * decides.
 */
export function useIsInReach(
  roles: readonly KnownRole[] | null | undefined,
): (administrator: Administrator) => boolean {
  const { grants } = useProfile();
  return ({ roleIds }) => {
    const held = (roles ?? []).filter(({ id }) => roleIds.includes(id)).flatMap(({ permissions }) => permissions);
    return unheldOf(grants, held).length === 0;
  };
}

/** Reads an account as it is now, by what the user may do. */
export function useAdministratorReader(): (administrator: Administrator) => Promise<Administrator> {
  const api = useApi();
  const may = useMay();
  return async ({ id, username }) => {
    if (!may('api:admin:administrators:read')) {
      const query = { name: username, size: 200 };
      const { data } = dataOf(await api.GET('/admin/administrators', { params: { query } }));
      const found = data.find((administrator) => administrator.id === id);
      if (found !== undefined) return found;
    }
    return dataOf(await api.GET('/admin/administrators/{id}', { params: { path: { id } } })).data;
  };
}
