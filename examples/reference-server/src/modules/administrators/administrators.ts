import { UNNAMED } from '@sallyport/plugin-kit/postgres';
import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { renderQuery } from '../../storage/rendered-query.js';
import { isInactive, isRefused } from '../inactivity/index.js';
import { type KnownHashes, keptHashes } from '../passwords/index.js';
import { GRANTS_LIST, readGrants } from './access-control.js';
import { administrators } from './table.js';

export interface Administrator {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly disabled: boolean;
}

export interface AdministratorWithGrants extends Administrator {
  readonly grants: readonly string[];
}

export interface NewAdministrator {
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
}

/** The administrators in the database. Changes are made in the transaction of a change. */
export interface Administrators {
  findByUsername(username: string): Promise<Administrator | null>;
  findById(id: string): Promise<Administrator | null>;
  /** The account with its current grants, as `grantsOf` returns them. */
  findWithGrants(id: string): Promise<AdministratorWithGrants | null>;
  /** The user names of these accounts, by id. Deleted accounts have none. */
  namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The current grants of the account, from its roles. Empty if the account is disabled or does not exist (TOK-6). */
  grantsOf(id: string): Promise<readonly string[]>;
  /** Resolves to the updated account, or to null if it does not exist. */
  rename(transaction: Queries, id: string, displayName: string): Promise<Administrator | null>;
  /** The hashes of the present and the earlier passwords. Null if the account does not exist. */
  knownHashes(id: string): Promise<KnownHashes | null>;
  /**
   * Sets a new password of the owner if the stored hash is still `from`, and keeps that hash. Resolves to false
   * otherwise. Atomic: of two parallel changes, one finds another hash than it has compared.
   *
   * @param historyCount the number of latest passwords to know, with the new one
   */
  changePassword(
    transaction: Queries,
    id: string,
    change: { readonly from: string; readonly to: string; readonly historyCount: number },
  ): Promise<boolean>;
  /** Replaces a hash with another hash of the same password, unless the password has changed since. */
  replaceHash(transaction: Queries, id: string, from: string, to: string): Promise<void>;
}

const { placeholder } = sql;
const now = sql`now()`;

const columns = {
  id: administrators.id,
  username: administrators.username,
  displayName: administrators.displayName,
  passwordHash: administrators.passwordHash,
  disabled: administrators.disabled,
};

/** An account as other administrators see it, with whether it was not used for too long to sign in. */
export const managedColumns = {
  ...getTableColumns(administrators),
  inactive: isInactive('admin', administrators),
};

const isThis = eq(administrators.id, placeholder('id'));

// Signing in begins here.
const selectByUsername = renderQuery((reading: Reading) =>
  reading
    .select({ ...columns, disabled: isRefused('admin', administrators) })
    .from(administrators)
    .where(eq(administrators.username, placeholder('username')))
    .prepare(UNNAMED),
);

const selectById = renderQuery((reading: Reading) =>
  reading.select(columns).from(administrators).where(isThis).prepare(UNNAMED),
);

const selectWithGrants = renderQuery((reading: Reading) =>
  reading
    .select({ ...columns, grants: sql<string[]>`(${GRANTS_LIST})` })
    .from(administrators)
    .where(isThis)
    .prepare(UNNAMED),
);

const updateName = renderQuery((transaction: Queries) =>
  transaction
    .update(administrators)
    .set({ displayName: sql`${placeholder('displayName')}`, updatedAt: now })
    .where(isThis)
    .returning(columns)
    .prepare(UNNAMED),
);

const hashColumns = { hash: administrators.passwordHash, history: administrators.passwordHistory };

const selectHashes = renderQuery((reading: Reading) =>
  reading
    .select({ passwordHash: administrators.passwordHash, passwordHistory: administrators.passwordHistory })
    .from(administrators)
    .where(isThis)
    .prepare(UNNAMED),
);

const hasHash = and(isThis, eq(administrators.passwordHash, placeholder('from')));

const updatePassword = renderQuery((transaction: Queries) =>
  transaction
    .update(administrators)
    .set({
      passwordHash: sql`${placeholder('to')}`,
      passwordChangedAt: now,
      passwordIsInitial: false,
      passwordHistory: keptHashes(hashColumns, sql`${placeholder('historyCount')}`),
      updatedAt: now,
      version: sql`${administrators.version} + 1`,
    })
    .where(hasHash)
    .returning({ id: administrators.id })
    .prepare(UNNAMED),
);

const updateHash = renderQuery((transaction: Queries) =>
  transaction
    .update(administrators)
    .set({ passwordHash: sql`${placeholder('to')}`, updatedAt: now })
    .where(hasHash)
    .prepare(UNNAMED),
);

export function createAdministrators({ reading }: ReadableDatabase): Administrators {
  return {
    async findByUsername(username) {
      const rows = await withinLimit(selectByUsername(reading, { username }));
      return rows[0] ?? null;
    },
    async findById(id) {
      const rows = await withinLimit(selectById(reading, { id }));
      return rows[0] ?? null;
    },
    async findWithGrants(id) {
      const rows = await withinLimit(selectWithGrants(reading, { id }));
      return rows[0] ?? null;
    },
    async namesOf(ids) {
      if (ids.length === 0) return new Map();
      const { id, username } = administrators;
      const found = reading
        .select({ id, username })
        .from(administrators)
        .where(inArray(id, [...ids]));
      return new Map((await withinLimit(found)).map((row) => [row.id, row.username]));
    },
    grantsOf: (id) => withinLimit(readGrants(reading, id)),
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
    async replaceHash(transaction, id, from, to) {
      await updateHash(transaction, { id, from, to });
    },
  };
}
