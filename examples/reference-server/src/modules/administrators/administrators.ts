import { and, eq, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { type Database, withinLimit } from '../../storage/database.js';
import { readGrants } from './access-control.js';
import { administrators } from './table.js';

export interface Administrator {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly disabled: boolean;
}

export interface NewAdministrator {
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
}

/** The administrators in the database. */
export interface Administrators {
  findByUsername(username: string): Promise<Administrator | null>;
  findById(id: string): Promise<Administrator | null>;
  /** The current grants of the account, from its roles. Empty if the account is disabled or does not exist (TOK-6). */
  grantsOf(id: string): Promise<readonly string[]>;
  /** Adds an account without grants unless the name is taken. Resolves to true if it was added. Atomic. */
  addIfAbsent(administrator: NewAdministrator): Promise<boolean>;
  /** Resolves to the updated account, or to null if it does not exist. */
  rename(id: string, displayName: string): Promise<Administrator | null>;
  /** Sets a new password if the stored hash is still `from`. Resolves to false otherwise. Atomic. */
  changePassword(id: string, from: string, to: string): Promise<boolean>;
  /** Replaces a hash with another hash of the same password, unless the password has changed since. */
  replaceHash(id: string, from: string, to: string): Promise<void>;
}

export function createAdministrators({ orm }: Pick<Database, 'orm'>): Administrators {
  const now = sql`now()`;
  return {
    async findByUsername(username) {
      const rows = await withinLimit(orm.select().from(administrators).where(eq(administrators.username, username)));
      return rows[0] ?? null;
    },
    async findById(id) {
      const rows = await withinLimit(orm.select().from(administrators).where(eq(administrators.id, id)));
      return rows[0] ?? null;
    },
    grantsOf: (id) => withinLimit(readGrants(orm, id)),
    async addIfAbsent(account) {
      const added = await withinLimit(
        orm
          .insert(administrators)
          .values({ ...account, id: uuidv7() })
          .onConflictDoNothing({ target: administrators.username })
          .returning({ id: administrators.id }),
      );
      return added.length === 1;
    },
    async rename(id, displayName) {
      const rows = await withinLimit(
        orm.update(administrators).set({ displayName, updatedAt: now }).where(eq(administrators.id, id)).returning(),
      );
      return rows[0] ?? null;
    },
    async changePassword(id, from, to) {
      const changed = await withinLimit(
        orm
          .update(administrators)
          .set({ passwordHash: to, updatedAt: now, version: sql`${administrators.version} + 1` })
          .where(and(eq(administrators.id, id), eq(administrators.passwordHash, from)))
          .returning({ id: administrators.id }),
      );
      return changed.length === 1;
    },
    async replaceHash(id, from, to) {
      await withinLimit(
        orm
          .update(administrators)
          .set({ passwordHash: to, updatedAt: now })
          .where(and(eq(administrators.id, id), eq(administrators.passwordHash, from))),
      );
    },
  };
}
