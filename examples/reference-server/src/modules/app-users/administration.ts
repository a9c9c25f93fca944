import { and, count, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import { NotFoundError } from '../../http/errors.js';
import { readCursorId } from '../../http/lists.js';
import { maskMobile } from '../../http/mobile-number.js';
import { detailOfChange } from '../../http/recorded-change.js';
import type { RunChange } from '../../storage/changes.js';
import { type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { type CursorPage, type CursorRequest, readPage } from '../../storage/pages.js';
import { isInactive } from '../inactivity/index.js';
import { appUsers } from './table.js';

/** An app user in the view of administrators: without the password hash, with a masked number. */
export interface ManagedAppUser {
  readonly id: string;
  readonly maskedMobile: string;
  readonly displayName: string;
  readonly hasPassword: boolean;
  readonly disabled: boolean;
  /** Not used for too long to sign in. */
  readonly inactive: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Administrators' view of app users (TOK-6). */
export interface AppUserAdministration {
  /** The newest first. With a number, in E.164, only the user with this number. */
  list(request: CursorRequest, mobile: string | null): Promise<CursorPage<ManagedAppUser>>;
  read(id: string): Promise<ManagedAppUser>;
  /** Changes the state of a user. Disabling ends all sessions and device tokens; a disabled user gets no new ones. */
  setDisabled(request: DisablingRequest, id: string, disabled: boolean): Promise<ManagedAppUser>;
}

/** Ends all sessions of an app user, and the device tokens of the number. Rejects if they can't be ended. */
export type EndSessions = (user: { readonly id: string; readonly mobile: string }) => Promise<unknown>;

interface DisablingRequest {
  readonly runChange: RunChange;
  readonly endSessions: EndSessions;
}

const managed = { ...getTableColumns(appUsers), inactive: isInactive('app', appUsers) };

export function createAppUserAdministration({
  database: { reading },
}: {
  readonly database: ReadableDatabase;
}): AppUserAdministration {
  const find = (id: string) => withinLimit(reading.select(managed).from(appUsers).where(eq(appUsers.id, id)));

  function change(runChange: RunChange, id: string, disabled: boolean): Promise<ManagedAppUser> {
    return runChange(async (transaction, record) => {
      const [before] = await transaction.select().from(appUsers).where(eq(appUsers.id, id)).for('update');
      // An unused account may sign in again (PWD-7).
      const used = disabled ? {} : { lastSignedInAt: sql`now()` };
      const values = { disabled, updatedAt: new Date(), ...used };
      const changed = show(
        await transaction.update(appUsers).set(values).where(eq(appUsers.id, id)).returning(managed),
      );
      record(detailOfChange({ before: before as { disabled: boolean }, after: changed }, ['disabled']));
      return changed;
    });
  }

  return {
    async list(request, mobile) {
      const after = readCursorId(request.after);
      const chosen = mobile === null ? undefined : eq(appUsers.mobile, mobile);
      const page = await readPage(request, {
        select: (limit, offset) =>
          withinLimit(
            reading
              .select(managed)
              .from(appUsers)
              .where(and(chosen, after === null ? undefined : lt(appUsers.id, after)))
              // Ids are UUIDv7, so they sort by time.
              .orderBy(desc(appUsers.id))
              .limit(limit)
              .offset(offset),
          ),
        async count() {
          return (await withinLimit(reading.select({ total: count() }).from(appUsers).where(chosen)))[0]?.total ?? 0;
        },
        cursorOf: ({ id }) => id,
      });
      return { ...page, items: page.items.map((row) => show([row])) };
    },

    read: async (id) => show(await find(id)),

    async setDisabled({ runChange, endSessions }, id, disabled) {
      if (!disabled) return change(runChange, id, false);
      const user = found(await find(id));
      // Sessions are ended before the change, so that it is not made if they can't be ended, and again after it, for
      // sign-ins that completed in between. A client that received a 503 retries, which ends the sessions again.
      await endSessions(user);
      const changed = await change(runChange, id, true);
      await endSessions(user);
      return changed;
    },
  };
}

type Row = typeof appUsers.$inferSelect & { readonly inactive: boolean };

function found([user]: readonly Row[]): Row {
  if (user === undefined) throw new NotFoundError();
  return user;
}

function show(rows: readonly Row[]): ManagedAppUser {
  const { id, mobile, displayName, passwordHash, disabled, inactive, createdAt, updatedAt } = found(rows);
  return {
    id,
    maskedMobile: maskMobile(mobile),
    displayName,
    hasPassword: passwordHash !== null,
    disabled,
    inactive,
    createdAt: createdAt.getTime(),
    updatedAt: updatedAt.getTime(),
  };
}
