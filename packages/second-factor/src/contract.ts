import type { FactorKind, FactorRecord } from './records/index.js';

/** The argument of `beginTotp`. */
export interface TotpRequest {
  /** The id of the account. */
  readonly principal: string;
  /** The name that the app shows after the issuer, such as the user name. Not secret. */
  readonly account: string;
  /** The name that the owner gives to the factor. Default null. */
  readonly name?: string | null | undefined;
}

/** An enrolment that is to be confirmed. Show it to the owner of the account alone, once, and never log it. */
export interface TotpEnrolment {
  readonly id: string;
  /** The secret in base32, for typing. */
  readonly secret: string;
  /** The `otpauth://` URI, for a QR code. It has the secret in it. */
  readonly uri: string;
  /** The time until which it can be confirmed, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** The argument of `confirmTotp`. `id` and `code` may be anything that a client sent. */
export interface TotpConfirmation {
  readonly principal: string;
  /** The id of the enrolment. */
  readonly id: string;
  readonly code: string;
}

/** The argument of `verifyTotp` and `verifyRecoveryCode`. `code` may be anything that a client sent. */
export interface CodeProof {
  readonly principal: string;
  readonly code: string;
}

/** A factor of an account, as its owner may see it. */
export interface FactorSummary {
  readonly id: string;
  readonly kind: FactorKind;
  readonly name: string | null;
  /** Times in milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** The number of recovery codes that are left. */
  readonly codesLeft?: number;
  /** For a passkey: whether it was backed up, and so may be on several devices. */
  readonly isBackedUp?: boolean;
}

/** A factor that was right, and is used up where it can be used once. */
export interface ProvenFactor {
  readonly factorId: string;
  readonly kind: FactorKind;
}

/** A recovery code that was right. */
export interface ProvenRecoveryCode extends ProvenFactor {
  readonly codesLeft: number;
}

/**
 * TOTP and recovery codes. Each call rejects with a TypeError for a misspelt member of its argument, and for a value of
 * a wrong type that the program gives; with `StoreUnavailableError` if the store fails, and with what `records` rejects
 * with. A call that rejects has accepted nothing.
 */
export interface SecondFactors {
  /** Makes a secret. The account has it as a factor when it is confirmed. Rejects if {@link assertKeys} does. */
  beginTotp(request: TotpRequest): Promise<TotpEnrolment>;
  /**
   * Stores the secret as the account's TOTP factor, in place of an earlier one, if the code is right. The code is used
   * up. Null: the code is wrong and the enrolment goes on, or it has expired, was confirmed, or the account was reset.
   */
  confirmTotp(confirmation: TotpConfirmation): Promise<ProvenFactor | null>;
  /**
   * Whether the code is right, within one step of 30 seconds. Of all calls with one code, on any number of nodes, at
   * most one resolves to a factor, and no code of an earlier step is accepted after it. Null: refused.
   */
  verifyTotp(proof: CodeProof): Promise<ProvenFactor | null>;
  /**
   * Makes ten recovery codes, in place of the earlier ones. They are not kept: show them once.
   *
   * @throws {SecondFactorNotEnrolledError} without a TOTP factor and a passkey
   */
  createRecoveryCodes(request: { readonly principal: string }): Promise<readonly string[]>;
  /** Uses a recovery code up. Of all calls with one code, exactly one resolves to a factor. Null: refused. */
  verifyRecoveryCode(proof: CodeProof): Promise<ProvenRecoveryCode | null>;
  /** The factors of an account, passkeys included, without secrets. */
  list(principal: string): Promise<readonly FactorSummary[]>;
  /** Removes a factor. With the last other factor, the recovery codes go too. Resolves to whether it was there. */
  remove(factor: { readonly principal: string; readonly id: string }): Promise<boolean>;
  /** Removes all factors of an account. Enrolments that began before can no longer be confirmed. */
  reset(principal: string): Promise<void>;
  /** Whether the secret of a record is encrypted with an earlier key. */
  needsReencryption(record: FactorRecord): boolean;
  /** Encrypts the secret of an account with the present key. Resolves to whether it was under an earlier one. */
  reencrypt(principal: string): Promise<boolean>;
  /**
   * Compares the keys with those that were used under the same ids, as the store remembers them. Await it before you
   * listen.
   *
   * @throws {SecondFactorSetupError} naming the option whose key is another one
   */
  assertKeys(): Promise<void>;
}
