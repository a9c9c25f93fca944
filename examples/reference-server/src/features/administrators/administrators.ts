import { and, eq, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { type Database, withinLimit } from '../../db/database.js';
import { administrators } from '../../db/schema.js';

export interface Administrator {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly permissions: readonly string[];
  readonly disabled: boolean;
}

interface NewAdministrator {
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly permissions: readonly string[];
}

/** The administrators in the database. */
export interface Administrators {
  findByUsername(username: string): Promise<Administrator | null>;
  findById(id: string): Promise<Administrator | null>;
  /** Adds an account unless its name is taken. Resolves to true if it was added. Atomic. */
  addIfAbsent(administrator: NewAdministrator): Promise<boolean>;
  /** Resolves to the account as it is now, or to null if it is gone. */
  rename(id: string, displayName: string): Promise<Administrator | null>;
  /** Replaces a hash by one of the same password, unless it has been changed meanwhile. */
  replaceHash(id: string, from: string, to: string): Promise<void>;
}

/** One form for all spellings of a name: NFKC, without white space around it, in lower case. */
export function normalizeUsername(username: string): string {
  return username.normalize('NFKC').trim().toLowerCase();
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
    async addIfAbsent({ permissions, ...account }) {
      const row = { ...account, id: uuidv7(), permissions: [...permissions] };
      const added = await withinLimit(
        orm
          .insert(administrators)
          .values(row)
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
