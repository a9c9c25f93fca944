import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/** Bad options. `faults` lists them all; none repeats a value. */
export class CaptchaSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('CAPTCHA_SETUP_INVALID', subject, faults);
  }
}

/**
 * So many proofs are being checked, or pictures drawn, that one more would wait too long; or this client has too many
 * proofs under way. Nothing was used up: the same answer may be sent again.
 */
export class CaptchaBusyError extends refusalError(refusals, 'CAPTCHA_BUSY') {
  override readonly name = 'CaptchaBusyError';
}

/**
 * The provider of an external captcha gave no answer in time, or failed. Nobody is let through, and the captcha is used
 * up. `cause` has the reason, for the log.
 */
export class CaptchaProviderUnavailableError extends refusalError(refusals, 'CAPTCHA_PROVIDER_UNAVAILABLE') {
  override readonly name = 'CaptchaProviderUnavailableError';
}

/**
 * The kind is none that can be issued, or the purpose is malformed: a query that was passed on unchecked, or a mistake
 * of the program. Nothing was issued or used up.
 */
export class CaptchaRequestRefusedError extends refusalError(refusals, 'CAPTCHA_REQUEST_REFUSED', { base: TypeError }) {
  override readonly name = 'CaptchaRequestRefusedError';
}
