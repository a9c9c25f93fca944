import { SetupError } from '@sallyport/plugin-kit/options';
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/** Bad options. `faults` lists them all; none repeats a value. */
export class OneTimeCodesSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('ONE_TIME_CODES_SETUP_INVALID', subject, faults);
  }
}

/** The recipient is no well-formed text of 1 to 256 characters, or has NUL in it. Nothing was counted. */
export class CodeRecipientRefusedError extends refusalError(refusals, 'CODE_RECIPIENT_REFUSED', {
  base: TypeError,
}) {}

/** The send or the check needs a captcha, and none was answered. Nothing was counted. */
export class CodeCaptchaRequiredError extends refusalError(refusals, 'CAPTCHA_REQUIRED') {
  /** The next step of the client. */
  readonly clientAction = refusals.CAPTCHA_REQUIRED.retry;
}

/**
 * So many wrong codes were entered that codes of ordinary length are no longer compared. A new code is longer, and
 * is accepted. Nothing was counted.
 */
export class NewCodeRequiredError extends refusalError(refusals, 'NEW_CODE_REQUIRED') {
  /** The next step of the client. */
  readonly clientAction = refusals.NEW_CODE_REQUIRED.retry;
}

/** The policy holds a bad value: no code is sent or accepted until it is corrected. `cause` has the reason. */
export const OneTimeCodesUnavailableError = refusalError(refusals, 'ONE_TIME_CODES_UNAVAILABLE');
export type OneTimeCodesUnavailableError = InstanceType<typeof OneTimeCodesUnavailableError>;

/** The client's network, the region or the service has used up its sends of this hour. */
export class CodeSendLimitedError extends refusalError(refusals, 'CODE_SEND_LIMITED') {
  /** When to try again, in whole seconds from now; at least 1. */
  readonly retryAfterSeconds: number;
  constructor(retryAfterMillis: number) {
    super();
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMillis / 1000));
  }
}
