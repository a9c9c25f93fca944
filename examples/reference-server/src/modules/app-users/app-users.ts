import { and, eq, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { SafeModeError } from '../../protection/errors.js';
import { type Database, withinLimit } from '../../storage/database.js';
import { appUsers } from './table.js';

export interface AppUser {
  readonly id: string;
  /** In E.164. */
  readonly mobile: string;
  readonly displayName: string;
  readonly passwordHash: string | null;
  readonly disabled: boolean;
}

/** Wraps the users so that no user can be added (OPS-4). Existing users can still sign in. */
export function withoutNewUsers(users: AppUsers): AppUsers {
  return {
    ...users,
    async findOrAdd(mobile) {
      const user = await users.findByMobile(mobile);
      if (user === null) throw new SafeModeError();
      return user;
    },
  };
}

/** The app users in the database. */
export interface AppUsers {
  findByMobile(mobile: string): Promise<AppUser | null>;
  findById(id: string): Promise<AppUser | null>;
  /** Finds the user with this number, or adds one. Of parallel calls one adds the user, and all return it (APP-3). */
  findOrAdd(mobile: string): Promise<AppUser>;
  /** Resolves to the updated user, or to null if it does not exist. */
  rename(id: string, displayName: string): Promise<AppUser | null>;
  /**
   * Sets a password if the stored hash is still `from`, or if there is none and `from` is null. Resolves to false
   * otherwise. Atomic.
   */
  changePassword(id: string, from: string | null, to: string): Promise<boolean>;
}

export function createAppUsers({ orm }: Pick<Database, 'orm'>): AppUsers {
  const now = sql`now()`;

  async function findByMobile(mobile: string): Promise<AppUser | null> {
    const rows = await withinLimit(orm.select().from(appUsers).where(eq(appUsers.mobile, mobile)));
    return rows[0] ?? null;
  }

  return {
    findByMobile,
    async findById(id) {
      const rows = await withinLimit(orm.select().from(appUsers).where(eq(appUsers.id, id)));
      return rows[0] ?? null;
    },
    async findOrAdd(mobile) {
      const added = await withinLimit(
        orm
          .insert(appUsers)
          .values({ id: uuidv7(), mobile })
          .onConflictDoNothing({ target: appUsers.mobile })
          .returning(),
      );
      const user = added[0] ?? (await findByMobile(mobile));
      if (user === null) throw new Error('the app user was deleted during sign-in');
      return user;
    },
    async rename(id, displayName) {
      const rows = await withinLimit(
        orm.update(appUsers).set({ displayName, updatedAt: now }).where(eq(appUsers.id, id)).returning(),
      );
      return rows[0] ?? null;
    },
    async changePassword(id, from, to) {
      const isFrom = sql`${appUsers.passwordHash} is not distinct from ${from}`;
      const changed = await withinLimit(
        orm
          .update(appUsers)
          .set({ passwordHash: to, updatedAt: now })
          .where(and(eq(appUsers.id, id), isFrom))
          .returning({ id: appUsers.id }),
      );
      return changed.length === 1;
    },
  };
}
