import { asc, count, eq } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { NotFoundError, VersionConflictError } from '../../http/errors.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import type { AccessControl } from './access.js';
import { RoleInUseError, RoleNameTakenError } from './errors.js';
import { roles } from './table.js';

export type Role = typeof roles.$inferSelect;

interface RoleContent {
  readonly name: string;
  readonly permissions: readonly string[];
}

/** Omitted properties stay unchanged. */
interface RoleChange extends Partial<RoleContent> {
  /** The version that the change is based on. The change is refused if the role has changed since. */
  readonly version?: number;
}

/** Administrators' changes to roles (USR-1). A change takes effect on the next request of each holder of the role. */
export interface Roles {
  list(page: PageRequest): Promise<Page<Role>>;
  read(id: string): Promise<Role>;
  create(transaction: Queries, actorId: string, content: RoleContent): Promise<Role>;
  /** Resolves to the role before and after the change. */
  update(
    transaction: Queries,
    actorId: string,
    id: string,
    change: RoleChange,
  ): Promise<{ readonly before: Role; readonly after: Role }>;
  /** Resolves to the removed role. */
  remove(transaction: Queries, actorId: string, id: string): Promise<Role>;
}

export function createRoles({ reading }: ReadableDatabase, access: AccessControl): Roles {
  return {
    async list(page) {
      const { limit, offset } = bounds(page);
      const items = await withinLimit(
        reading.select().from(roles).orderBy(asc(roles.name)).limit(limit).offset(offset),
      );
      const [all] = await withinLimit(reading.select({ total: count() }).from(roles));
      return { items, total: all?.total ?? 0 };
    },

    read: (id) => withinLimit(findRole(reading, id)),

    create(transaction, actorId, content) {
      return access.change(transaction, actorId, async function createRole() {
        await access.assertHolds(transaction, actorId, content.permissions);
        const rows = await transaction
          .insert(roles)
          .values({ id: uuidv7(), name: normalizeRoleName(content.name), permissions: [...content.permissions] })
          .onConflictDoNothing({ target: roles.name })
          .returning();
        if (rows[0] === undefined) throw new RoleNameTakenError();
        return rows[0];
      });
    },

    update(transaction, actorId, id, { version, ...change }) {
      return access.change(transaction, actorId, async function updateRole() {
        const role = await findRole(transaction, id);
        if (version !== undefined && version !== role.version) throw new VersionConflictError();
        const name = normalizeRoleName(change.name ?? role.name);
        const permissions = [...(change.permissions ?? role.permissions)];
        await access.assertHolds(transaction, actorId, [...role.permissions, ...permissions]);
        await assertNameFree(transaction, name, id);
        const rows = await transaction
          .update(roles)
          .set({ name, permissions, version: role.version + 1, updatedAt: new Date() })
          .where(eq(roles.id, id))
          .returning();
        return { before: role, after: rows[0] as Role };
      });
    },

    remove(transaction, actorId, id) {
      return access.change(transaction, actorId, async function removeRole() {
        const role = await findRole(transaction, id);
        await access.assertHolds(transaction, actorId, role.permissions);
        if (await access.isAssigned(transaction, id)) throw new RoleInUseError();
        await transaction.delete(roles).where(eq(roles.id, id));
        return role;
      });
    },
  };
}

async function findRole(queries: Reading, id: string): Promise<Role> {
  const [role] = await queries.select().from(roles).where(eq(roles.id, id));
  if (role === undefined) throw new NotFoundError();
  return role;
}

async function assertNameFree(transaction: Queries, name: string, id: string): Promise<void> {
  const [holder] = await transaction.select({ id: roles.id }).from(roles).where(eq(roles.name, name));
  if (holder !== undefined && holder.id !== id) throw new RoleNameTakenError();
}

export function normalizeRoleName(name: string): string {
  return name.normalize('NFKC').trim();
}
