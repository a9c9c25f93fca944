import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, eq, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { SafeModeError } from '../../protection/errors.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { renderQuery } from '../../storage/rendered-query.js';
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

const { placeholder } = sql;
const isThis = eq(appUsers.id, placeholder('id'));
const newPassword = { passwordHash: sql`${placeholder('to')}`, updatedAt: sql`now()` };

const columns = {
  id: appUsers.id,
  mobile: appUsers.mobile,
  displayName: appUsers.displayName,
  passwordHash: appUsers.passwordHash,
  disabled: appUsers.disabled,
};

const selectByMobile = renderQuery((reading: Reading) =>
  reading
    .select()
    .from(appUsers)
    .where(eq(appUsers.mobile, placeholder('mobile')))
    .prepare(UNNAMED),
);

const selectById = renderQuery((reading: Reading) =>
  reading.select(columns).from(appUsers).where(isThis).prepare(UNNAMED),
);

const insertUser = renderQuery((transaction: Queries) =>
  transaction
    .insert(appUsers)
    .values({ id: placeholder('id'), mobile: placeholder('mobile') })
    .onConflictDoNothing({ target: appUsers.mobile })
    .returning(columns)
    .prepare(UNNAMED),
);

const updateName = renderQuery((transaction: Queries) =>
  transaction
    .update(appUsers)
    .set({ displayName: sql`${placeholder('displayName')}`, updatedAt: sql`now()` })
    .where(isThis)
    .returning(columns)
    .prepare(UNNAMED),
);

const updatePassword = renderQuery((transaction: Queries) =>
  transaction
    .update(appUsers)
    .set(newPassword)
    .where(and(isThis, sql`${appUsers.passwordHash} is not distinct from ${placeholder('from')}`))
    .returning({ id: appUsers.id })
    .prepare(UNNAMED),
);

const resetPassword = renderQuery((transaction: Queries) =>
  transaction
    .update(appUsers)
    .set(newPassword)
    .where(and(isThis, eq(appUsers.disabled, false)))
    .returning({ id: appUsers.id })
    .prepare(UNNAMED),
);

export function createAppUsers({ reading }: ReadableDatabase): AppUsers {
  return {
    async findByMobile(mobile) {
      const rows = await withinLimit(selectByMobile(reading, { mobile }));
      return rows[0] ?? null;
    },
    async findById(id) {
      const rows = await withinLimit(selectById(reading, { id }));
      return rows[0] ?? null;
    },
    async add(transaction, mobile) {
      const added = await insertUser(transaction, { id: uuidv7(), mobile });
      return added[0] ?? null;
    },
    async rename(transaction, id, displayName) {
      const rows = await updateName(transaction, { id, displayName });
      return rows[0] ?? null;
    },
    async changePassword(transaction, id, from, to) {
      const changed = await updatePassword(transaction, { id, from, to });
      return changed.length === 1;
    },
    async setPassword(transaction, id, to) {
      const changed = await resetPassword(transaction, { id, to });
      return changed.length === 1;
    },
  };
}
