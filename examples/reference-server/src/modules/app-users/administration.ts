import { count, desc, eq } from 'drizzle-orm';
import { NotFoundError } from '../../http/errors.js';
import { maskMobile } from '../../http/mobile-number.js';
import { type Database, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import { appUsers } from './table.js';

/** An app user as administrators see it: without the password hash, with a masked number. */
export interface ManagedAppUser {
  readonly id: string;
  readonly maskedMobile: string;
  readonly displayName: string;
  readonly hasPassword: boolean;
  readonly disabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Administrators' view of app users (TOK-6). */
export interface AppUserAdministration {
  /** The newest first. With a number, in E.164, only the user who has it. */
  list(page: PageRequest, mobile: string | null): Promise<Page<ManagedAppUser>>;
  read(id: string): Promise<ManagedAppUser>;
  /** Ends all sessions of a disabled user, who gets no new ones. */
  setDisabled(id: string, disabled: boolean): Promise<ManagedAppUser>;
}

export interface AppUserAdministrationOptions {
  readonly database: Pick<Database, 'orm'>;
  /** Ends all sessions of an app user. Rejects if they can't be ended. */
  readonly endSessions: (id: string) => Promise<unknown>;
}

export function createAppUserAdministration({
  database: { orm },
  endSessions,
}: AppUserAdministrationOptions): AppUserAdministration {
  async function read(id: string): Promise<ManagedAppUser> {
    return show(await withinLimit(orm.select().from(appUsers).where(eq(appUsers.id, id))));
  }

  async function change(id: string, disabled: boolean): Promise<ManagedAppUser> {
    const values = { disabled, updatedAt: new Date() };
    return show(await withinLimit(orm.update(appUsers).set(values).where(eq(appUsers.id, id)).returning()));
  }

  return {
    async list(page, mobile) {
      const { limit, offset } = bounds(page);
      const chosen = mobile === null ? undefined : eq(appUsers.mobile, mobile);
      const [rows, [all]] = await Promise.all([
        withinLimit(orm.select().from(appUsers).where(chosen).orderBy(desc(appUsers.id)).limit(limit).offset(offset)),
        withinLimit(orm.select({ total: count() }).from(appUsers).where(chosen)),
      ]);
      return { items: rows.map((row) => show([row])), total: all?.total ?? 0 };
    },

    read,

    async setDisabled(id, disabled) {
      if (!disabled) return change(id, false);
      await read(id);
      // End the sessions before the change, so that it is not made if they can't be ended, and again after it, for
      // sign-ins that completed in between. A client that received a 503 retries, which ends the sessions again.
      await endSessions(id);
      const changed = await change(id, true);
      await endSessions(id);
      return changed;
    },
  };
}

function show([user]: readonly (typeof appUsers.$inferSelect)[]): ManagedAppUser {
  if (user === undefined) throw new NotFoundError();
  const { id, mobile, displayName, passwordHash, disabled, createdAt, updatedAt } = user;
  return {
    id,
    maskedMobile: maskMobile(mobile),
    displayName,
    hasPassword: passwordHash !== null,
    disabled,
    createdAt: createdAt.getTime(),
    updatedAt: updatedAt.getTime(),
  };
}
