import { and, eq, lt, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Changes } from '../../storage/changes.js';
import { type Queries, type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { inactivityParameters } from './parameters.js';

type Audience = keyof typeof inactivityParameters;

/** The columns of the accounts of an audience. */
export type UsedAccounts = Readonly<
  Record<
    Audience,
    {
      readonly table: PgTable;
      readonly id: AnyPgColumn;
      readonly name: AnyPgColumn;
      readonly lastSignedInAt: AnyPgColumn;
    }
  >
>;

export interface SignInNotes {
  /** Notes a completed sign-in. While no rule needs it, it does nothing; else it writes once an hour. */
  note(request: FastifyRequest, audience: Audience, id: string): Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly signInNotes: SignInNotes;
  }
}

const now = sql`now()`;
const aDayAgo = sql`now() - interval '1 day'`;
/** Often enough for a rule of one day. */
const anHourAgo = sql`now() - interval '1 hour'`;

/** Lets an account that was not used for a day or more sign in again. Resolves to false if there is none. */
export function renewAccount(accounts: UsedAccounts) {
  return async (transaction: Queries, audience: Audience, account: string): Promise<boolean> => {
    const { table, name, lastSignedInAt } = accounts[audience];
    const isDue = and(eq(name, account), lt(lastSignedInAt, aDayAgo));
    const renewed = await transaction.update(table).set({ lastSignedInAt: now }).where(isDue).returning({ name });
    return renewed.length > 0;
  };
}

export function createSignInNotes(
  app: Pick<FastifyInstance, 'systemParameters'>,
  {
    database: { reading },
    changes,
    accounts,
  }: { database: ReadableDatabase; changes: Changes; accounts: UsedAccounts },
): SignInNotes {
  return {
    async note(request, audience, id) {
      const days = await app.systemParameters.read(inactivityParameters);
      if (days[audience] === 0) return;
      const { table, id: key, name, lastSignedInAt } = accounts[audience];
      const isDue = and(eq(key, id), lt(lastSignedInAt, anHourAgo));
      const due = reading.select({ name: sql<string>`${name}` }).from(table);
      const [account] = await withinLimit(due.where(isDue));
      if (account === undefined) return;
      const event = { action: 'account.note-sign-in', actor: `${audience}:${id}`, target: account.name };
      // The session of a first step has ended: the change is not that of the request.
      await changes.change({ event: request.audit?.withOrigin(event) ?? event }, async (transaction) => {
        await transaction.update(table).set({ lastSignedInAt: now }).where(isDue);
      });
    },
  };
}
