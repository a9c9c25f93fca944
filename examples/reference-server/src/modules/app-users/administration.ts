import { count, desc, eq } from 'drizzle-orm';
import { NotFoundError } from '../../http/errors.js';
import { maskMobile } from '../../http/mobile-number.js';
import { type Database, withinLimit } from '../../storage/database.js';
import { bounds, type Page, type PageRequest } from '../../storage/pages.js';
import { appUsers } from './table.js';

/** An app user as administrators see him: without hash, and his number in part. */
export interface ManagedAppUser {
  readonly id: string;
  readonly maskedMobile: string;
  readonly displayName: string;
  readonly hasPassword: boolean;
  readonly disabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The app users, as administrators see and change them (TOK-6). */
export interface AppUserAdministration {
  /** The latest first. With a number, in E.164, the one who has it. */
  list(page: PageRequest, mobile: string | null): Promise<Page<ManagedAppUser>>;
  read(id: string): Promise<ManagedAppUser>;
  /** Whoever is disabled has no session any more, and gets no new one. */
  setDisabled(id: string, disabled: boolean): Promise<ManagedAppUser>;
}

export interface AppUserAdministrationOptions {
  readonly database: Pick<Database, 'orm'>;
  /** Ends all sessions of an app user. Rejects when they can't be ended. */
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
      // Before, so that nobody is disabled whose sessions can't be ended; after, for a sign-in that came between. (One
      // that comes later is judged by the change.) Asked for again, it ends them again: that is what a 503 asks for.
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
