import { randomUUID } from 'node:crypto';
import { type ApiClient, dataOf, hashPassword, writeOnce } from '@sallyport/api-client';

/** An administrator with these permissions only, whose name and password the sign-in takes. */
export async function createAdministrator(
  { api }: Pick<ApiClient, 'api'>,
  permissions: readonly string[],
): Promise<{ readonly username: string; readonly password: string }> {
  const name = `tester-${randomUUID().slice(0, 8)}`;
  const role = await writeOnce((header) =>
    api.POST('/admin/roles', { params: { header }, body: { name, permissions: [...permissions] } }),
  );
  const password = randomUUID().slice(0, 20);
  const body = { username: name, password: hashPassword(password), displayName: name, roleIds: [dataOf(role).data.id] };
  // The service refuses to hash while it is busy.
  dataOf(
    await writeOnce((header) => api.POST('/admin/administrators', { params: { header }, body }), { attempts: 10 }),
  );
  return { username: name, password };
}
