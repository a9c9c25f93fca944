import { createHash, randomBytes } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { type Queries, type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { type FactorOwner, principalOf } from './owner.js';
import { secondFactors } from './table.js';

/** Crockford's: no letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 120 bits, so that a fast hash at rest suffices. */
const LENGTH = 24;
const VALID_HOURS = 24;

/** A one-time code for an enrolment after the days of grace (MFA-2). Only its hash is kept. */
export interface EnrolmentCode {
  readonly code: string;
  /** In milliseconds since 1970, by the clock of the database. */
  readonly expiresAt: number;
}

type Owner = Pick<FactorOwner, 'audience' | 'subject'>;

const rowOf = ({ audience, subject }: Owner) =>
  and(eq(secondFactors.audience, audience), eq(secondFactors.subject, subject));

/** Makes the code of an account, in place of an earlier one. */
export async function makeEnrolmentCode(transaction: Queries, owner: Owner): Promise<EnrolmentCode> {
  const code = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  const set = {
    enrolmentCodeHash: hashOf(owner, code),
    enrolmentCodeExpiresAt: sql`now() + make_interval(hours => ${VALID_HOURS}::int)`,
  };
  const { audience, subject } = owner;
  const [row] = await transaction
    .insert(secondFactors)
    .values({ audience, subject, ...set })
    .onConflictDoUpdate({ target: [secondFactors.audience, secondFactors.subject], set })
    .returning({ expiresAt: secondFactors.enrolmentCodeExpiresAt });
  return { code: code.replace(/(....)(?=.)/g, '$1-'), expiresAt: row!.expiresAt!.getTime() };
}

/** The condition of a right code. Hashes are compared, so the time shows nothing of the code. */
const isRight = (owner: Owner, given: string) =>
  and(
    rowOf(owner),
    eq(secondFactors.enrolmentCodeHash, hashOf(owner, readCode(given))),
    sql`${secondFactors.enrolmentCodeExpiresAt} > now()`,
  );

/** Whether the code is right, when an enrolment begins. It stays valid. */
export async function isEnrolmentCode({ reading }: ReadableDatabase, owner: Owner, given: string): Promise<boolean> {
  const found = reading.select({ subject: secondFactors.subject }).from(secondFactors);
  return (await withinLimit(found.where(isRight(owner, given)))).length === 1;
}

/** Uses the code up. Of several parallel uses, one resolves to true. */
export async function useEnrolmentCode(transaction: Queries, owner: Owner, given: string): Promise<boolean> {
  const used = await transaction
    .update(secondFactors)
    .set({ enrolmentCodeHash: null, enrolmentCodeExpiresAt: null })
    .where(isRight(owner, given))
    .returning({ subject: secondFactors.subject });
  return used.length === 1;
}

function hashOf(owner: Owner, code: string): string {
  const text = JSON.stringify(['sallyport second-factor enrolment code', principalOf(owner), code]);
  return createHash('sha256').update(text).digest('base64url');
}

/** As people type it. */
function readCode(given: string): string {
  const letters = given.normalize('NFKC').toUpperCase().replace(/[\s-]/g, '');
  return letters.replace(/O/g, '0').replace(/[IL]/g, '1');
}
