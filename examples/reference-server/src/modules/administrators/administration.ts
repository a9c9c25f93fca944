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

/** An account as administrators see it: without its hash. */
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

/** What a change leaves out stays as it is. */
interface AdministratorChange extends Partial<AdministratorContent> {
  /** The version that the change was made from; an account that was changed since is not overwritten. */
  readonly version?: number;
}

/**
 * The accounts, as administrators change them (USR-1, USR-2). The actor is the one who asks: he can touch no account
 * that holds more than he does, and can neither disable nor delete himself, nor reset his own password.
 */
export interface Administration {
  list(page: PageRequest): Promise<Page<ManagedAdministrator>>;
  read(id: string): Promise<ManagedAdministrator>;
  create(actorId: string, account: NewManagedAdministrator, complete: Completion): Promise<ManagedAdministrator>;
  /** Resolves to the account as it was and as it is. */
  update(
    actorId: string,
    id: string,
    change: AdministratorChange,
  ): Promise<{ readonly before: ManagedAdministrator; readonly after: ManagedAdministrator }>;
  resetPassword(actorId: string, id: string, passwordHash: string): Promise<void>;
  /** Resolves to the account that was there. */
  remove(actorId: string, id: string): Promise<ManagedAdministrator>;
}

export interface AdministrationOptions {
  readonly database: Pick<Database, 'orm'>;
  /** Ends all sessions of an administrator. Rejects when they can't be ended. */
  readonly endSessions: (administratorId: string, reason: EndReason) => Promise<unknown>;
}

export function createAdministration({ database, endSessions }: AdministrationOptions): Administration {
  const { orm } = database;

  /**
   * A change after which no session of the account may live (TOK-6). The sessions are ended before it: where they can't
   * be, it isn't made. And after it: for a sign-in that came between. (One that comes later is judged by the change.)
   * Rehearsed first, so that a change that is refused ends nobody's sessions.
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
      // Asked for again, disabling ends the sessions again: that is what whoever got a 503 does.
      if (content.disabled === true) return changeAndEndSessions(id, 'ACCOUNT_DISABLED', change);
      return changeAccess(database, change);
    },

    async resetPassword(actorId, id, passwordHash) {
      // His own he changes with the old one: a stolen session must not be enough.
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

/** The account, if the actor holds all that it may do. */
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
