import { eq, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { AccountGoneError } from '../../http/errors.js';
import { type ReadableDatabase, withinLimit } from '../../storage/database.js';
import type { FactorOwner } from './owner.js';

/** The table of the accounts of an audience. This module knows neither module of accounts: both use it. */
export interface AccountTable {
  readonly table: PgTable;
  readonly id: AnyPgColumn;
  readonly name: AnyPgColumn;
  /** The name as the table has it. A number is in E.164 already. */
  normalizeName(name: string): string;
  readonly createdAt: AnyPgColumn;
  readonly disabled: AnyPgColumn;
  readonly passwordHash: AnyPgColumn;
}

export type AccountTables = Readonly<Record<FactorOwner['audience'], AccountTable>>;

export interface FactorAccount extends FactorOwner {
  readonly disabled: boolean;
  readonly hasPassword: boolean;
}

/** Finds accounts by id and by name. */
export interface FactorAccounts {
  /** Null: there is none, or it was deleted. */
  find(audience: FactorOwner['audience'], id: string): Promise<FactorAccount | null>;
  /** The name of an app user is a number in E.164. */
  findByName(audience: FactorOwner['audience'], name: string): Promise<FactorAccount | null>;
  /** @throws {AccountGoneError} if it was deleted or disabled */
  ownerOf(principal: { readonly audience: string; readonly subject: string }): Promise<FactorAccount>;
}

export function createFactorAccounts({ reading }: ReadableDatabase, tables: AccountTables): FactorAccounts {
  async function select(audience: FactorOwner['audience'], where: SQL): Promise<FactorAccount | null> {
    const { table, id, name, disabled, passwordHash } = tables[audience];
    const columns = {
      subject: sql<string>`${id}`,
      username: sql<string>`${name}`,
      disabled: sql<boolean>`${disabled}`,
      hasPassword: sql<boolean>`${passwordHash} is not null`,
    };
    const [row] = await withinLimit(reading.select(columns).from(table).where(where));
    return row === undefined ? null : { ...row, audience };
  }
  const find = (audience: FactorOwner['audience'], id: string) => select(audience, eq(tables[audience].id, id));
  return {
    find,
    findByName(audience, typed) {
      const { name, normalizeName } = tables[audience];
      return select(audience, eq(name, normalizeName(typed)));
    },
    async ownerOf({ audience, subject }) {
      const account = await find(audience === 'admin' ? 'admin' : 'app', subject);
      if (account === null || account.disabled) throw new AccountGoneError();
      return account;
    },
  };
}
