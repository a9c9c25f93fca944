import type { AuditDetails } from '@sallyport/audit-log';
import type { EndReason } from '@sallyport/auth-tokens';
import { and, asc, count, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { v7 as uuidv7 } from 'uuid';
import { NotFoundError, VersionConflictError } from '../../http/errors.js';
import { detailOfChange } from '../../http/recorded-change.js';
import type { ChangeWork, RunChange } from '../../storage/changes.js';
import { type Queries, type ReadableDatabase, type Reading, withinLimit } from '../../storage/database.js';
import { beginsWith, type CursorPage, type CursorRequest, patternOf, readPage } from '../../storage/pages.js';
import { type KnownHashes, keptHashes } from '../passwords/index.js';
import type { AccessControl } from '../roles/index.js';
import { assertHolds, assertMayChange, grantsOfRoles, rehearse } from './access-control.js';
import { managedColumns } from './administrators.js';
import { OwnAccountError, UsernameLooksAlikeError, UsernameTakenError } from './errors.js';
import { keepSkeleton } from './look-alikes.js';
import { administratorRoles, administrators } from './table.js';
import { nameOfCursor, normalizeUsername } from './username.js';

type Account = typeof administrators.$inferSelect & { readonly inactive: boolean };

/** An account as administrators see it, without its password hashes. */
export interface ManagedAdministrator extends Omit<Account, 'passwordHash' | 'passwordHistory'> {
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
  /** The name may look like that of another account. Default false. */
  readonly isConfirmed?: boolean;
}

/** Omitted properties stay unchanged. */
interface AdministratorChange extends Partial<AdministratorContent> {
  /** The version that the change is based on. The change is refused if the account has changed since. */
  readonly version?: number;
}

/** A new password of another account. */
interface PasswordReset {
  readonly passwordHash: string;
  /** The present hash with which the new password was compared. It must still be that one. Null: any. */
  readonly from: string | null;
  /** The number of latest passwords to know, with the new one. */
  readonly historyCount: number;
}

/** The properties whose old and new values the audit log records. */
const RECORDED = ['username', 'displayName', 'roleIds', 'disabled', 'version'] as const;

/**
 * Administrators' changes to accounts (USR-1, USR-2). `runChange` makes each, with its audit record. The actor is the
 * administrator who makes the request. Actors cannot change an account that holds grants they lack, and cannot disable,
 * delete or reset the password of their own account.
 */
export interface Administration {
  /** The accounts by user name. With a name, only those whose user name or display name begins with it. */
  list(request: CursorRequest & { readonly name?: string }): Promise<CursorPage<ManagedAdministrator>>;
  read(id: string): Promise<ManagedAdministrator>;
  create(runChange: RunChange, actorId: string, account: NewManagedAdministrator): Promise<ManagedAdministrator>;
  update(
    request: EndingChange,
    actorId: string,
    id: string,
    change: AdministratorChange,
  ): Promise<ManagedAdministrator>;
  /** The hashes of an account whose password the actor may reset. Rejects as the reset would. */
  knownHashes(actorId: string, id: string): Promise<KnownHashes>;
  /** The owner has not chosen this password. */
  resetPassword(request: EndingChange, actorId: string, id: string, reset: PasswordReset): Promise<void>;
  remove(request: EndingChange, actorId: string, id: string): Promise<void>;
}

/** Makes a change after which an account may have no session. */
export interface EndingChange {
  readonly runChange: RunChange;
  /** Ends all sessions of an administrator, and the device tokens of the name. Rejects if they can't be ended. */
  readonly endSessions: (
    administrator: Pick<ManagedAdministrator, 'id' | 'username'>,
    reason: EndReason,
  ) => Promise<unknown>;
}

export interface AdministrationDependencies {
  readonly database: ReadableDatabase;
  readonly access: Pick<AccessControl, 'change'>;
  /** Deletes the second factors of an account that is deleted. */
  readonly forgetFactors: (transaction: Queries, owner: { audience: 'admin'; subject: string }) => Promise<void>;
}

export function createAdministration({ database, access, forgetFactors }: AdministrationDependencies): Administration {
  const { reading } = database;

  /**
   * Makes a change after which the account may have no session (TOK-6). Sessions are ended before the change, so that
   * it is not made if they can't be ended, and again after it, for sign-ins that completed in between. Later sign-ins
   * see the change itself. The change is rehearsed first, so that a refused change ends no session.
   */
  async function changeAndEndSessions<Result>(
    { runChange, endSessions }: EndingChange,
    id: string,
    reason: EndReason,
    change: ChangeWork<Result>,
  ): Promise<Result> {
    await rehearse(runChange, (transaction) => change(transaction, () => {}));
    // Read before the change, because the change may delete the account.
    const administrator = await withinLimit(findManaged(reading, id));
    await endSessions(administrator, reason);
    const result = await runChange(change);
    await endSessions(administrator, reason);
    return result;
  }

  return {
    async list(request) {
      const after = request.after === undefined ? null : nameOfCursor(request.after);
      const isWanted = request.name === undefined ? undefined : hasName(request.name);
      return readPage(request, {
        select: (limit, offset) =>
          withinLimit(
            withRoles(
              reading,
              reading
                .select(managedColumns)
                .from(administrators)
                .where(and(isWanted, after === null ? undefined : gt(administrators.username, after)))
                .orderBy(asc(administrators.username))
                .limit(limit)
                .offset(offset),
            ),
          ),
        async count() {
          const counted = reading.select({ total: count() }).from(administrators).where(isWanted);
          return (await withinLimit(counted))[0]?.total ?? 0;
        },
        cursorOf: ({ username }) => Buffer.from(username).toString('base64url'),
      });
    },

    read: (id) => withinLimit(findManaged(reading, id)),

    create(runChange, actorId, { username, roleIds, isConfirmed = false, ...account }) {
      const id = uuidv7();
      async function createAdministrator(transaction: Queries, record: (details: AuditDetails) => void) {
        await assertHolds(transaction, actorId, await grantsOfRoles(transaction, roleIds));
        const added = await transaction
          .insert(administrators)
          .values({ ...account, id, passwordIsInitial: true, username: normalizeUsername(username) })
          .onConflictDoNothing({ target: administrators.username })
          .returning({ id: administrators.id });
        if (added.length === 0) throw new UsernameTakenError();
        const other = await keepSkeleton(transaction, { id, username }, isConfirmed);
        if (other !== null && !isConfirmed) throw new UsernameLooksAlikeError(other);
        if (other !== null) record({ detail: { confirmed: `looks like ${other}` } });
        await assignRoles(transaction, id, roleIds);
        return findManaged(transaction, id);
      }
      return runChange((transaction, record) => {
        record({ target: id });
        return access.change(transaction, actorId, () => createAdministrator(transaction, record));
      });
    },

    update(request, actorId, id, { version, roleIds, ...content }) {
      async function updateAdministrator(transaction: Queries) {
        if (id === actorId && content.disabled === true) throw new OwnAccountError();
        const account = await findTouchable(transaction, actorId, id);
        if (version !== undefined && version !== account.version) throw new VersionConflictError();
        if (roleIds !== undefined) {
          await assertHolds(transaction, actorId, await grantsOfRoles(transaction, roleIds));
          await transaction.delete(administratorRoles).where(eq(administratorRoles.administratorId, id));
          await assignRoles(transaction, id, roleIds);
        }
        const used = content.disabled === false ? { lastSignedInAt: sql`now()` } : {};
        await updateAccount(transaction, account, { ...content, ...used });
        return { before: account, after: await findManaged(transaction, id) };
      }
      const change: ChangeWork<ManagedAdministrator> = async (transaction, record) => {
        const { before, after } = await access.change(transaction, actorId, () => updateAdministrator(transaction));
        record(detailOfChange({ before, after }, RECORDED));
        return after;
      };
      // Disabling a disabled account ends its sessions again. A client that received a 503 retries this way.
      if (content.disabled === true) return changeAndEndSessions(request, id, 'ACCOUNT_DISABLED', change);
      return request.runChange(change);
    },

    async knownHashes(actorId, id) {
      if (id === actorId) throw new OwnAccountError();
      // A comparison shows the actor whether a password was right.
      await withinLimit(assertMayChange(reading, actorId, id));
      const { passwordHash, passwordHistory } = administrators;
      const known = reading.select({ passwordHash, passwordHistory }).from(administrators);
      const [found] = await withinLimit(known.where(eq(administrators.id, id)));
      if (found === undefined) throw new NotFoundError();
      return found;
    },

    async resetPassword(request, actorId, id, { passwordHash, from, historyCount }) {
      // Administrators change their own password with the old one, because a stolen session must not be enough.
      if (id === actorId) throw new OwnAccountError();
      const columns = { hash: administrators.passwordHash, history: administrators.passwordHistory };
      const values = {
        passwordHash,
        passwordIsInitial: true,
        passwordChangedAt: sql`now()`,
        passwordHistory: keptHashes(columns, sql`${historyCount}`),
      };
      await changeAndEndSessions(request, id, 'PASSWORD_CHANGED', (transaction) =>
        access.change(transaction, actorId, async function resetPassword() {
          const account = await findTouchable(transaction, actorId, id);
          await updateAccount(transaction, account, values, from ?? undefined);
        }),
      );
    },

    async remove(request, actorId, id) {
      if (id === actorId) throw new OwnAccountError();
      async function removeAdministrator(transaction: Queries): Promise<ManagedAdministrator> {
        const account = await findTouchable(transaction, actorId, id);
        await transaction.delete(administrators).where(eq(administrators.id, id));
        await forgetFactors(transaction, { audience: 'admin', subject: id });
        return account;
      }
      await changeAndEndSessions(request, id, 'ACCOUNT_DISABLED', async (transaction, record) => {
        const before = await access.change(transaction, actorId, () => removeAdministrator(transaction));
        record(detailOfChange({ before, after: null }, RECORDED));
      });
    },
  };
}

/** Returns the account if the actor holds all of its grants. */
async function findTouchable(transaction: Queries, actorId: string, id: string): Promise<ManagedAdministrator> {
  const account = await findManaged(transaction, id);
  await assertMayChange(transaction, actorId, id);
  return account;
}

async function findManaged(queries: Reading, id: string): Promise<ManagedAdministrator> {
  const [account] = await withRoles(
    queries,
    queries.select(managedColumns).from(administrators).where(eq(administrators.id, id)),
  );
  if (account === undefined) throw new NotFoundError();
  return account;
}

async function withRoles(queries: Reading, accounts: PromiseLike<Account[]>): Promise<ManagedAdministrator[]> {
  const rows = await accounts;
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const assigned = await queries
    .select()
    .from(administratorRoles)
    .where(inArray(administratorRoles.administratorId, ids))
    .orderBy(asc(administratorRoles.roleId));
  return rows.map(({ passwordHash: _never, passwordHistory: _neither, ...account }) => ({
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
  values: Partial<PgUpdateSetSource<typeof administrators>>,
  from?: string,
): Promise<void> {
  const isStill = from === undefined ? undefined : eq(administrators.passwordHash, from);
  const changed = await transaction
    .update(administrators)
    .set({ ...values, version: version + 1, updatedAt: new Date() })
    .where(and(eq(administrators.id, id), isStill))
    .returning({ id: administrators.id });
  if (changed.length === 0) throw new VersionConflictError();
}

/** The user name or the display name begins with this text. User names are stored in lower case. */
function hasName(name: string): SQL | undefined {
  const start = normalizeUsername(name);
  // Blanks are not a name, and every name begins with an empty one.
  const username = start === '' ? undefined : sql`${administrators.username} like ${patternOf(start)}`;
  return or(username, beginsWith(administrators.displayName, name));
}
