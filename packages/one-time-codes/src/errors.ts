import createError from '@fastify/error';
import { SetupError } from '@sallyport/plugin-kit/options';

/** Bad options. `faults` lists them all; none repeats a value. */
export class OneTimeCodesSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('ONE_TIME_CODES_SETUP_INVALID', subject, faults);
  }
}

const RecipientError = createError('CODE_RECIPIENT_REFUSED', 'This is not a recipient', 400, TypeError);

/** The recipient is no well-formed text of 1 to 256 characters, or has NUL in it. Nothing was counted. */
export class CodeRecipientRefusedError extends RecipientError {}

const CaptchaError = createError('CAPTCHA_REQUIRED', 'Answer a captcha first, and ask again', 400);

/** The send or the check needs a captcha, and none was answered. Nothing was counted. */
export class CodeCaptchaRequiredError extends CaptchaError {
  /** What the client can do. */
  readonly clientAction = 'answer-captcha';
}

const NewCodeError = createError('NEW_CODE_REQUIRED', 'Ask for a new code', 400);

/**
 * So many wrong codes were entered that codes of ordinary length are not compared any more. A new code is longer, and
 * is accepted. Nothing was counted.
 */
export class NewCodeRequiredError extends NewCodeError {
  /** What the client can do. */
  readonly clientAction = 'request-new-code';
}

/** The policy holds a bad value: no code is sent or accepted until it is corrected. `cause` has the reason. */
export const OneTimeCodesUnavailableError = createError(
  'ONE_TIME_CODES_UNAVAILABLE',
  'Codes can be neither sent nor checked at the moment',
  503,
);
export type OneTimeCodesUnavailableError = InstanceType<typeof OneTimeCodesUnavailableError>;

const LimitedError = createError('CODE_SEND_LIMITED', 'Too many codes were sent; try again later', 429);

/** The client's network, the region or the service has used up its sends of this hour. */
export class CodeSendLimitedError extends LimitedError {
  /** When to try again, in whole seconds from now; at least 1. */
  readonly retryAfterSeconds: number;
  constructor(retryAfterMillis: number) {
    super();
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMillis / 1000));
  }
}
