import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/** Bad options, or a key that is not the one of before. `faults` lists them all; none repeats a value. */
export class SecondFactorSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('SECOND_FACTOR_SETUP_INVALID', subject, faults);
  }
}

/** The account has neither TOTP nor a passkey that recovery codes could stand in for. */
export const SecondFactorNotEnrolledError = refusalError(refusals, 'SECOND_FACTOR_NOT_ENROLLED');
export type SecondFactorNotEnrolledError = InstanceType<typeof SecondFactorNotEnrolledError>;

/** The account has as many passkeys as it may. */
export const TooManyPasskeysError = refusalError(refusals, 'TOO_MANY_PASSKEYS');
export type TooManyPasskeysError = InstanceType<typeof TooManyPasskeysError>;

/**
 * A record can't be used: no key decrypts its secret, `records` returned what it was not given, or the record kept
 * changing. Nothing was accepted. `cause` has the reason.
 */
export const SecondFactorUnavailableError = refusalError(refusals, 'SECOND_FACTOR_UNAVAILABLE');
export type SecondFactorUnavailableError = InstanceType<typeof SecondFactorUnavailableError>;
