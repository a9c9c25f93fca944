import { randomUUID } from 'node:crypto';
import { SecondFactorUnavailableError } from '../errors.js';

/** The kinds of a second factor. */
export type FactorKind = 'totp' | 'passkey' | 'recovery-code';

/** The hash of TOTP. */
export type TotpAlgorithm = 'SHA1' | 'SHA256' | 'SHA512';

/** A TOTP factor at rest. */
export interface TotpRecord {
  readonly id: string;
  readonly name: string | null;
  /** Encrypted, and bound to the principal and the id. */
  readonly secret: string;
  readonly algorithm: TotpAlgorithm;
  /** Codes of this step and of earlier ones are refused. */
  readonly lastUsedStep: number;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Recovery codes at rest. */
export interface RecoveryCodesRecord {
  readonly id: string;
  /** The hashes of the codes that are left. */
  readonly hashes: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A passkey at rest. */
export interface PasskeyRecord {
  /** The credential id, in base64url. */
  readonly id: string;
  readonly name: string | null;
  /** The public key in COSE, in base64url. */
  readonly publicKey: string;
  /** The highest signature counter that was seen. 0 for authenticators that have none. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Whether the passkey may leave its device. It never changes. */
  readonly isBackupEligible: boolean;
  /** Whether the passkey was backed up when it was last used. */
  readonly isBackedUp: boolean;
  /** The model of the authenticator, as it claims: nothing proves it. */
  readonly aaguid: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** The factors of an account. Plain JSON, to be kept as it is. Times in milliseconds since the Unix epoch. */
export interface FactorRecord {
  /** Another random one after every change. {@link FactorRecords.replace} compares it. */
  readonly version: string;
  /** Another one after every reset, so that an enrolment that began before is not completed after it. */
  readonly epoch: string;
  /** The random name of the account for authenticators, in base64url; null before the first passkey. */
  readonly userHandle: string | null;
  readonly totp: TotpRecord | null;
  readonly recoveryCodes: RecoveryCodesRecord | null;
  readonly passkeys: readonly PasskeyRecord[];
}

/** The place where the application keeps the records: a table with the columns principal, version and record. */
export interface FactorRecords {
  /**
   * The record as `replace` was given it, or null if there is none. Read it where it is written: a replica that lags
   * costs a round, and refuses nobody for good.
   */
  read(principal: string): FactorRecord | null | Promise<FactorRecord | null>;
  /**
   * Writes the record if the present one has the expected version; null: if there is none. Resolves to whether it was
   * written. It must be atomic, over all processes: one statement with the version in its condition, or an insert that
   * does nothing on a conflict. It must be durable when it resolves.
   */
  replace(principal: string, expectedVersion: string | null, record: FactorRecord): boolean | Promise<boolean>;
}

/** The record of an account that has none. */
export const NO_FACTORS: FactorRecord = {
  version: '',
  epoch: '',
  userHandle: null,
  totp: null,
  recoveryCodes: null,
  passkeys: [],
};

/** In each round at least one of the concurrent changes of an account succeeds. */
const MAX_ROUNDS = 64;

/** The result of judging a record. */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  /** The record to write. Without it nothing is written. */
  readonly next?: FactorRecord;
}

/**
 * Reads a record, decides, and writes what was decided if the record is still the one that was read. If it is not, all
 * of it is done again: an outcome with a change holds at the moment of the write, and not only when it was read.
 */
export async function changeRecord<Outcome>(
  records: FactorRecords,
  principal: string,
  decide: (record: FactorRecord) => Decision<Outcome> | Promise<Decision<Outcome>>,
): Promise<Outcome> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await readRecord(records, principal);
    const { outcome, next } = await decide(found ?? NO_FACTORS);
    if (next === undefined) return outcome;
    const isWritten: unknown = await records.replace(principal, found?.version ?? null, {
      ...next,
      version: randomUUID(),
    });
    if (isWritten === true) return outcome;
    // Taken as false, `undefined` would read as a conflict that never ends; taken as true, as a write that was lost.
    if (isWritten !== false) throw unusable('records.replace must resolve to true or false');
  }
  throw unusable(`the record changed ${MAX_ROUNDS} times in a row`);
}

/** @throws SecondFactorUnavailableError if `read` returns what `replace` was not given */
export async function readRecord(records: FactorRecords, principal: string): Promise<FactorRecord | null> {
  const found: unknown = await records.read(principal);
  if (found === null) return null;
  if (!isRecord(found)) throw unusable('records.read must resolve to null, or to the object that replace was given');
  return found;
}

function isRecord(found: unknown): found is FactorRecord {
  if (typeof found !== 'object' || found === null) return false;
  const { version, epoch, passkeys, totp, recoveryCodes } = found as Partial<FactorRecord>;
  return (
    typeof version === 'string' &&
    typeof epoch === 'string' &&
    Array.isArray(passkeys) &&
    (totp === null || Number.isSafeInteger(totp?.lastUsedStep)) &&
    (recoveryCodes === null || Array.isArray(recoveryCodes?.hashes))
  );
}

function unusable(reason: string): SecondFactorUnavailableError {
  return new SecondFactorUnavailableError({ cause: new TypeError(reason) });
}

/** Whether there is a factor that recovery codes can stand in for. */
export function hasFactor({ totp, passkeys }: FactorRecord): boolean {
  return totp !== null || passkeys.length > 0;
}
