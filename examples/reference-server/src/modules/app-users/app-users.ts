import { and, eq, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { SafeModeError } from '../../protection/errors.js';
import { type Queries, type ReadableDatabase, withinLimit } from '../../storage/database.js';
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
    async add() {
      throw new SafeModeError();
    },
  };
}

/** The app users in the database. Changes are made in the transaction of a change. */
export interface AppUsers {
  findByMobile(mobile: string): Promise<AppUser | null>;
  findById(id: string): Promise<AppUser | null>;
  /** Adds a user with this number. Resolves to null if there is one. Atomic. */
  add(transaction: Queries, mobile: string): Promise<AppUser | null>;
  /** Resolves to the updated user, or to null if it does not exist. */
  rename(transaction: Queries, id: string, displayName: string): Promise<AppUser | null>;
  /**
   * Sets a password if the stored hash is still `from`, or if there is none and `from` is null. Resolves to false
   * otherwise. Atomic.
   */
  changePassword(transaction: Queries, id: string, from: string | null, to: string): Promise<boolean>;
  /** Sets a password, regardless of the present one. Resolves to false for an unknown or disabled user. Atomic. */
  setPassword(transaction: Queries, id: string, to: string): Promise<boolean>;
}

export function createAppUsers({ reading }: ReadableDatabase): AppUsers {
  const now = sql`now()`;

  return {
    async findByMobile(mobile) {
      const rows = await withinLimit(reading.select().from(appUsers).where(eq(appUsers.mobile, mobile)));
      return rows[0] ?? null;
    },
    async findById(id) {
      const rows = await withinLimit(reading.select().from(appUsers).where(eq(appUsers.id, id)));
      return rows[0] ?? null;
    },
    async add(transaction, mobile) {
      const added = await transaction
        .insert(appUsers)
        .values({ id: uuidv7(), mobile })
        .onConflictDoNothing({ target: appUsers.mobile })
        .returning();
      return added[0] ?? null;
    },
    async rename(transaction, id, displayName) {
      const rows = await transaction
        .update(appUsers)
        .set({ displayName, updatedAt: now })
        .where(eq(appUsers.id, id))
        .returning();
      return rows[0] ?? null;
    },
    async changePassword(transaction, id, from, to) {
      const isFrom = sql`${appUsers.passwordHash} is not distinct from ${from}`;
      const changed = await transaction
        .update(appUsers)
        .set({ passwordHash: to, updatedAt: now })
        .where(and(eq(appUsers.id, id), isFrom))
        .returning({ id: appUsers.id });
      return changed.length === 1;
    },
    async setPassword(transaction, id, to) {
      const changed = await transaction
        .update(appUsers)
        .set({ passwordHash: to, updatedAt: now })
        .where(and(eq(appUsers.id, id), eq(appUsers.disabled, false)))
        .returning({ id: appUsers.id });
      return changed.length === 1;
    },
  };
}
