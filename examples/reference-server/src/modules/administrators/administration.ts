import type { EndReason } from '@sallyport/auth-tokens';
import { asc, count, eq, inArray } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { NotFoundError, VersionConflictError } from '../../http/errors.js';
import { type Completion, type Database, type Queries, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import type { AccessChange } from '../roles/index.js';
import { assertHolds, changeAccess, grantsOfRoles, rehearseAccessChange } from './access-control.js';
import { OwnAccountError, UsernameTakenError } from './errors.js';
import { administratorRoles, administrators } from './table.js';
import { normalizeUsername } from './username.js';

type Account = typeof administrators.$inferSelect;

/** An account as administrators see it, without its password hash. */
export interface ManagedAdministrator extends Omit<Account, 'passwordHash'> {
  readonly roleIds: readonly string[];
}

interface AdministratorContent {
  readonly displayName: string;
  readonly roleIds: readonly string[];
  readonly disabled: boolean;
}

interface NewManagedAdministrator extends AdministratorContent {
  readonly username: string;
  readonly passwordHash: string;
}

/** Omitted properties stay unchanged. */
interface AdministratorChange extends Partial<AdministratorContent> {
  /** The version that the change is based on. The change is refused if the account has changed since. */
  readonly version?: number;
}

/**
 * Administrators' changes to accounts (USR-1, USR-2). The actor is the administrator who makes the request. Actors
 * cannot change an account that holds grants they lack, and cannot disable, delete or reset the password of their own
 * account.
 */
export interface Administration {
  list(page: PageRequest): Promise<Page<ManagedAdministrator>>;
  read(id: string): Promise<ManagedAdministrator>;
  create(actorId: string, account: NewManagedAdministrator, complete: Completion): Promise<ManagedAdministrator>;
  /** Resolves to the account before and after the change. */
  update(
    actorId: string,
    id: string,
    change: AdministratorChange,
  ): Promise<{ readonly before: ManagedAdministrator; readonly after: ManagedAdministrator }>;
  resetPassword(actorId: string, id: string, passwordHash: string): Promise<void>;
  /** Resolves to the removed account. */
  remove(actorId: string, id: string): Promise<ManagedAdministrator>;
}

export interface AdministrationOptions {
  readonly database: Pick<Database, 'orm'>;
  /** Ends all sessions of an administrator. Rejects if they can't be ended. */
  readonly endSessions: (administratorId: string, reason: EndReason) => Promise<unknown>;
}

export function createAdministration({ database, endSessions }: AdministrationOptions): Administration {
  const { orm } = database;

  /**
   * Makes a change after which the account may have no session (TOK-6). Sessions are ended before the change, so that
   * it is not made if they can't be ended, and again after it, for sign-ins that completed in between. Later sign-ins
   * see the change itself. The change is rehearsed first, so that a refused change ends no session.
   */
  async function changeAndEndSessions<Result>(
    id: string,
    reason: EndReason,
    change: AccessChange<Result>,
  ): Promise<Result> {
    await rehearseAccessChange(database, change);
    await endSessions(id, reason);
    const result = await changeAccess(database, change);
    await endSessions(id, reason);
    return result;
  }

  return {
    async list(page) {
      const { limit, offset } = bounds(page);
      const query = orm.select().from(administrators).orderBy(asc(administrators.username)).limit(limit).offset(offset);
      const items = await withinLimit(withRoles(orm, query));
      const [all] = await withinLimit(orm.select({ total: count() }).from(administrators));
      return { items, total: all?.total ?? 0 };
    },

    read: (id) => withinLimit(findManaged(orm, id)),

    create(actorId, { username, roleIds, ...account }, complete) {
      return changeAccess(database, async function createAdministrator(transaction) {
        await assertHolds(transaction, actorId, await grantsOfRoles(transaction, roleIds));
        const id = uuidv7();
        const added = await transaction
          .insert(administrators)
          .values({ ...account, id, username: normalizeUsername(username) })
          .onConflictDoNothing({ target: administrators.username })
          .returning({ id: administrators.id });
        if (added.length === 0) throw new UsernameTakenError();
        await assignRoles(transaction, id, roleIds);
        const created = await findManaged(transaction, id);
        await complete(transaction, id);
        return created;
      });
    },

    update(actorId, id, { version, roleIds, ...content }) {
      const change = async function updateAdministrator(transaction: Queries) {
        if (id === actorId && content.disabled === true) throw new OwnAccountError();
        const account = await findTouchable(transaction, actorId, id);
        if (version !== undefined && version !== account.version) throw new VersionConflictError();
        if (roleIds !== undefined) {
          await assertHolds(transaction, actorId, await grantsOfRoles(transaction, roleIds));
          await transaction.delete(administratorRoles).where(eq(administratorRoles.administratorId, id));
          await assignRoles(transaction, id, roleIds);
        }
        await updateAccount(transaction, account, content);
        return { before: account, after: await findManaged(transaction, id) };
      };
      // Disabling a disabled account ends its sessions again. A client that received a 503 retries this way.
      if (content.disabled === true) return changeAndEndSessions(id, 'ACCOUNT_DISABLED', change);
      return changeAccess(database, change);
    },

    async resetPassword(actorId, id, passwordHash) {
      // Administrators change their own password with the old one: a stolen session must not be enough.
      if (id === actorId) throw new OwnAccountError();
      await changeAndEndSessions(id, 'PASSWORD_CHANGED', async function resetPassword(transaction) {
        await updateAccount(transaction, await findTouchable(transaction, actorId, id), { passwordHash });
      });
    },

    async remove(actorId, id) {
      if (id === actorId) throw new OwnAccountError();
      return changeAndEndSessions(id, 'ACCOUNT_DISABLED', async function removeAdministrator(transaction) {
        const account = await findTouchable(transaction, actorId, id);
        await transaction.delete(administrators).where(eq(administrators.id, id));
        return account;
      });
    },
  };
}

/** Returns the account if the actor holds all of its grants. */
async function findTouchable(transaction: Queries, actorId: string, id: string): Promise<ManagedAdministrator> {
  const account = await findManaged(transaction, id);
  await assertHolds(transaction, actorId, await grantsOfRoles(transaction, account.roleIds));
  return account;
}

async function findManaged(queries: Queries, id: string): Promise<ManagedAdministrator> {
  const [account] = await withRoles(queries, queries.select().from(administrators).where(eq(administrators.id, id)));
  if (account === undefined) throw new NotFoundError();
  return account;
}

async function withRoles(queries: Queries, accounts: PromiseLike<Account[]>): Promise<ManagedAdministrator[]> {
  const rows = await accounts;
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const assigned = await queries
    .select()
    .from(administratorRoles)
    .where(inArray(administratorRoles.administratorId, ids))
    .orderBy(asc(administratorRoles.roleId));
  return rows.map(({ passwordHash: _never, ...account }) => ({
    ...account,
    roleIds: assigned.filter(({ administratorId }) => administratorId === account.id).map(({ roleId }) => roleId),
  }));
}

async function assignRoles(transaction: Queries, administratorId: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return;
  await transaction.insert(administratorRoles).values(roleIds.map((roleId) => ({ administratorId, roleId })));
}

async function updateAccount(
  transaction: Queries,
  { id, version }: ManagedAdministrator,
  values: Partial<Pick<Account, 'displayName' | 'disabled' | 'passwordHash'>>,
): Promise<void> {
  await transaction
    .update(administrators)
    .set({ ...values, version: version + 1, updatedAt: new Date() })
    .where(eq(administrators.id, id));
}
