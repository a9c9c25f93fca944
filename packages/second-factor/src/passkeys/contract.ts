import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { FactorSummary, ProvenFactor } from '../contract.js';

/** The argument of `beginRegistration`. */
export interface PasskeyRequest {
  /** The id of the account. */
  readonly principal: string;
  /** The name that the browser shows, such as the user name. */
  readonly account: string;
}

/** The argument of `finishRegistration`. `response` may be anything that a client sent. */
export interface PasskeyRegistration {
  readonly principal: string;
  readonly response: RegistrationResponseJSON;
  /** The name that the owner gives to the passkey. Default null. */
  readonly name?: string | null | undefined;
}

/** The argument of `beginAuthentication`. */
export interface PasskeyQuestion {
  readonly principal: string;
  /** The purpose of the answer, such as `sign-in` or `step-up`, 1 to 100 characters. It serves nothing else. */
  readonly purpose: string;
}

/** The argument of `finishAuthentication`. `response` may be anything that a client sent. */
export interface PasskeyProof extends PasskeyQuestion {
  readonly response: AuthenticationResponseJSON;
}

/** A passkey that was right. */
export interface ProvenPasskey extends ProvenFactor {
  /** Whether it may be on several devices. */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
}

/**
 * Passkeys as a second factor. Each call rejects with a TypeError for a mistake of the program in its argument, with
 * `StoreUnavailableError` if the store fails, and with what `records` rejects with. A call that rejects has accepted
 * nothing.
 */
export interface Passkeys {
  /**
   * The options for `navigator.credentials.create`.
   *
   * @throws {TooManyPasskeysError}
   */
  beginRegistration(request: PasskeyRequest): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /**
   * Stores the passkey. Its challenge is used up. Null: refused.
   *
   * @throws {TooManyPasskeysError}
   */
  finishRegistration(registration: PasskeyRegistration): Promise<FactorSummary | null>;
  /** The options for `navigator.credentials.get`; null if the account has no passkey. */
  beginAuthentication(question: PasskeyQuestion): Promise<PublicKeyCredentialRequestOptionsJSON | null>;
  /**
   * Whether a passkey of the account answered a challenge for this purpose: from one of the origins, with its user
   * verified, and with a counter that has grown. Of all calls with one answer, at most one resolves to a factor. Null:
   * refused.
   */
  finishAuthentication(proof: PasskeyProof): Promise<ProvenPasskey | null>;
}
