import { type ApiClient, type components, dataOf } from '@sallyport/api-client';

export type Role = components['schemas']['Role'];

/** The lists of roles in the cache begin with it. */
export const ROLES_KEY = ['roles'] as const;

/** The largest page that the service gives. */
const PAGE_SIZE = 200;

/** All roles, page by page. */
export async function readAllRoles(api: ApiClient['api'], signal?: AbortSignal): Promise<Role[]> {
  const roles: Role[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, size: PAGE_SIZE };
    const { data, page: found } = dataOf(
      await api.GET('/admin/roles', { params: { query }, ...(signal !== undefined && { signal }) }),
    );
    roles.push(...data);
    if (data.length === 0 || roles.length >= found.total) return roles;
  }
}
