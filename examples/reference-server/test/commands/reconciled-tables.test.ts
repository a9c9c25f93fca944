import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { AUDITED_TABLES } from '../../faults/shadow.js';
import { changeKinds } from '../../faults/state-changes.js';
import { reconciledTables } from '../../src/commands/reconcile/index.js';
import * as schema from '../../src/storage/schema.js';

/** The tables that are not compared by themselves, and why. */
const NOT_RECONCILED: Readonly<Record<string, string>> = {
  administrator_roles: 'the roles of an administrator are a value of its row',
  audit_records: 'the log itself, which verify reads',
  audit_chain_heads: 'of the log itself',
  audit_pending: 'of the log itself',
  audit_deliveries: 'of the log itself',
  audit_signed_heads: 'of the log itself',
  idempotency_records: 'state of the protection: a record ends with its row, or says nothing of it',
  ttl_entries: 'sessions, tickets, codes and counters, which expire or are in Redis',
  session_ends: 'ended sessions, which expire',
  second_factors: 'changes with each use of a factor; its secrets are encrypted, and no record has them',
  name_skeletons: 'derived from the names of accounts, whose rows are compared',
  file_contents: 'contents that no file has: a row is gone once its content is a file, or is removed',
};

/** Kinds of change that the fault harness knows, and that no reconciled table holds. */
const WITHOUT_ROW = ['session begun', 'session ended', 'ticket issued', 'message sent', 'second factors changed'];

/** They change the hash of a password, which no record has, and name the account by what was typed in. */
const HASH_ONLY = ['password.rehash', 'password.recover'];

/** They change the time of the last sign-in, which no record has. */
const TIME_ONLY = ['account.note-sign-in', 'account.renew'];

describe('the reconciled tables', () => {
  const names = reconciledTables.map(({ table }) => getTableName(table));

  it('AUD-16 are all tables of the schema but those with a reason', () => {
    const tables = Object.values(schema).flatMap((one) => (is(one, PgTable) ? [getTableName(one)] : []));
    expect([...names, ...Object.keys(NOT_RECONCILED)].sort()).toEqual(tables.sort());
    expect([...names, 'administrator_roles', 'second_factors'].sort()).toEqual([...AUDITED_TABLES].sort());
  });

  it('AUD-16 name every action that changes their rows', () => {
    const known = reconciledTables.flatMap(({ actions }) => Object.keys(actions));
    const changing = Object.entries(changeKinds).flatMap(([kind, actions]) =>
      WITHOUT_ROW.includes(kind) ? [] : [...actions],
    );
    expect(new Set([...known, ...HASH_ONLY, ...TIME_ONLY])).toEqual(new Set(changing));
  });
});
