import { and, eq, sql } from 'drizzle-orm';
import type { Changes } from '../../storage/changes.js';
import type { Queries } from '../../storage/database.js';
import type { OpenEngines } from './engines.js';
import { makeEnrolmentCode } from './enrolment-codes.js';
import type { RunFactorChange } from './factor-records.js';
import { type FactorOwner, principalOf } from './owner.js';
import { secondFactors } from './table.js';

type Owner = Pick<FactorOwner, 'audience' | 'subject'>;

const rowOf = ({ audience, subject }: Owner) =>
  and(eq(secondFactors.audience, audience), eq(secondFactors.subject, subject));

/**
 * Removes all factors of an account, its enrolment code, and the enrolments that have begun. The days of grace begin
 * again (MFA-4).
 */
export async function resetFactors(openEngines: OpenEngines, run: RunFactorChange, owner: Owner): Promise<void> {
  const { factors } = openEngines((work) =>
    run(async (transaction, record) => {
      await work(transaction, record);
      const codes = { enrolmentCodeHash: null, enrolmentCodeExpiresAt: null };
      await transaction
        .update(secondFactors)
        .set({ resetAt: sql`now()`, ...codes })
        .where(rowOf(owner));
    }),
  );
  await factors.reset(principalOf(owner));
}

/** Deletes what is kept of an account that is deleted. */
export async function forgetFactors(transaction: Queries, owner: Owner): Promise<void> {
  await transaction.delete(secondFactors).where(rowOf(owner));
}

/** The request of an operator of the machine (MFA-4). */
export interface FactorCommand {
  readonly command: 'second-factor';
  readonly action: 'reset' | 'code';
  readonly audience: FactorOwner['audience'];
  readonly username: string;
}

export interface FactorCommandDependencies {
  readonly openEngines: OpenEngines;
  readonly changes: Changes;
  readonly find: (audience: FactorOwner['audience'], name: string) => Promise<FactorOwner | null>;
  /** Ends all sessions of the account. */
  readonly endSessions: (owner: FactorOwner) => Promise<unknown>;
}

/** There is no such account. The command prints this message. */
class FactorCommandRefusedError extends Error {
  override readonly name = 'FactorCommandRefusedError';
}

/** Carries out the command, with an audit record. Resolves to the code, if one was asked for. */
export async function runFactorCommand(
  { openEngines, changes, find, endSessions }: FactorCommandDependencies,
  { action, audience, username }: FactorCommand,
): Promise<{ readonly code: string | null; readonly expiresAt: number | null }> {
  const owner = await find(audience, username);
  if (owner === null) throw new FactorCommandRefusedError(`There is no account with the name ${username}.`);
  const actor = 'command:second-factor';
  const { subject, username: target } = owner;
  if (action === 'code') {
    const event = { action: 'second-factor.enrolment-code', actor, target, parameters: { audience, subject } };
    return changes.change({ event }, (transaction) => makeEnrolmentCode(transaction, owner));
  }
  const event = { action: 'second-factor.reset', actor, target, parameters: { audience, subject } };
  // Before the reset, so that it is not made if they can't be ended, and after it, for sign-ins in between.
  await endSessions(owner);
  await resetFactors(openEngines, (work) => changes.change({ event }, work), owner);
  await endSessions(owner);
  return { code: null, expiresAt: null };
}
