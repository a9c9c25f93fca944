import { randomUUID } from 'node:crypto';
import bcrypt from 'bcryptjs';
import type { Database } from '../../src/storage/database.js';
import { administratorRoles, administrators, roles } from '../../src/storage/schema.js';
import { credentials } from './test-app.js';

/** Adds an administrator with a role of these grants and the password of `credentials`; yields its name. */
export async function grantedAdministrator({ orm }: Pick<Database, 'orm'>, grants: readonly string[]): Promise<string> {
  const [id, roleId, username] = [randomUUID(), randomUUID(), `holder-${randomUUID().slice(0, 8)}`];
  const passwordHash = await bcrypt.hash(credentials.password, 4);
  await orm.insert(administrators).values({ id, username, displayName: username, passwordHash });
  await orm.insert(roles).values({ id: roleId, name: username, permissions: [...grants] });
  await orm.insert(administratorRoles).values({ administratorId: id, roleId });
  return username;
}

/** Adds an administrator without grants. */
export async function addAdministrator(
  { orm }: Pick<Database, 'orm'>,
  account: { readonly username: string; readonly passwordHash: string; readonly displayName?: string },
): Promise<void> {
  await orm.insert(administrators).values({ displayName: account.username, ...account, id: randomUUID() });
}
