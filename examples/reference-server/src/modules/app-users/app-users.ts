import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, eq, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { SafeModeError } from '../../protection/errors.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { renderQuery } from '../../storage/rendered-query.js';
import { isRefused } from '../inactivity/index.js';
import { type KnownHashes, keptHashes } from '../passwords/index.js';
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

interface NewPassword {
  readonly to: string;
  /** The number of latest passwords to know, with the new one (PWD-7). */
  readonly historyCount: number;
}

interface AppPasswordUpdate extends NewPassword {
  readonly from: string | null;
}

interface AppPasswordReset extends NewPassword {
  readonly from?: string | null | undefined;
}

/** The app users in the database. Changes are made in the transaction of a change. */
export interface AppUsers {
  findByMobile(mobile: string): Promise<AppUser | null>;
  findById(id: string): Promise<AppUser | null>;
  /** Adds a user with this number. Resolves to null if there is one. Atomic. */
  add(transaction: Queries, mobile: string): Promise<AppUser | null>;
  /** Resolves to the updated user, or to null if it does not exist. */
  rename(transaction: Queries, id: string, displayName: string): Promise<AppUser | null>;
  /** The hashes of the present and the earlier passwords. Null if the user does not exist. */
  knownHashes(id: string): Promise<KnownHashes | null>;
  /**
   * Sets a password if the stored hash is still `from`, or if there is none and `from` is null, and keeps that hash.
   * Resolves to false otherwise. Atomic: of two parallel changes, one finds another hash than it has compared.
   */
  changePassword(transaction: Queries, id: string, change: AppPasswordUpdate): Promise<boolean>;
  /**
   * Sets a password. Without `from`, regardless of the present one. Resolves to false for an unknown or disabled user,
   * and for another present hash. Atomic.
   */
  setPassword(transaction: Queries, id: string, change: AppPasswordReset): Promise<boolean>;
  /** Replaces a hash with another hash of the same password, unless the password has changed since. */
  replaceHash(transaction: Queries, id: string, from: string, to: string): Promise<void>;
}

const { placeholder } = sql;
const isThis = eq(appUsers.id, placeholder('id'));
const now = sql`now()`;
const hashColumns = { hash: appUsers.passwordHash, history: appUsers.passwordHistory };
const newPassword = {
  passwordHash: sql`${placeholder('to')}`,
  passwordChangedAt: now,
  passwordHistory: keptHashes(hashColumns, sql`${placeholder('historyCount')}`),
  updatedAt: now,
};

const columns = {
  id: appUsers.id,
  mobile: appUsers.mobile,
  displayName: appUsers.displayName,
  passwordHash: appUsers.passwordHash,
  disabled: appUsers.disabled,
};

// Signing in begins here.
const selectByMobile = renderQuery((reading: Reading) =>
  reading
    .select({ ...columns, disabled: isRefused('app', appUsers) })
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

const hasHash = and(isThis, sql`${appUsers.passwordHash} is not distinct from ${placeholder('from')}`);

const updatePassword = renderQuery((transaction: Queries) =>
  transaction.update(appUsers).set(newPassword).where(hasHash).returning({ id: appUsers.id }).prepare(UNNAMED),
);

const isEnabled = and(isThis, eq(appUsers.disabled, false));

const resetPassword = renderQuery((transaction: Queries) =>
  transaction.update(appUsers).set(newPassword).where(isEnabled).returning({ id: appUsers.id }).prepare(UNNAMED),
);

const resetPasswordFrom = renderQuery((transaction: Queries) =>
  transaction
    .update(appUsers)
    .set(newPassword)
    .where(and(isEnabled, hasHash))
    .returning({ id: appUsers.id })
    .prepare(UNNAMED),
);

const updateHash = renderQuery((transaction: Queries) =>
  transaction
    .update(appUsers)
    .set({ passwordHash: sql`${placeholder('to')}`, updatedAt: now })
    .where(hasHash)
    .prepare(UNNAMED),
);

const selectHashes = renderQuery((reading: Reading) =>
  reading
    .select({ passwordHash: appUsers.passwordHash, passwordHistory: appUsers.passwordHistory })
    .from(appUsers)
    .where(isThis)
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
    async knownHashes(id) {
      const rows = await withinLimit(selectHashes(reading, { id }));
      return rows[0] ?? null;
    },
    async changePassword(transaction, id, change) {
      const changed = await updatePassword(transaction, { id, ...change });
      return changed.length === 1;
    },
    async setPassword(transaction, id, change) {
      const reset = change.from === undefined ? resetPassword : resetPasswordFrom;
      const changed = await reset(transaction, { id, ...change });
      return changed.length === 1;
    },
    async replaceHash(transaction, id, from, to) {
      await updateHash(transaction, { id, from, to });
    },
  };
}
