import type { CodeExplanation } from './explain.js';

/**
 * Whether a captcha was answered right. It uses the captcha up. Called only if a captcha is needed, and at most once.
 * Only `true` counts as answered.
 */
export type HasCaptcha = () => boolean | Promise<boolean>;

/** The argument of `send`. `context` is optional if it may be undefined. */
export type CodeRequest<Context> = CodeSend &
  (undefined extends Context ? { readonly context?: Context } : WithContext<Context>);

/** The part of a {@link CodeRequest} that is passed on. */
export interface WithContext<Context> {
  /** Passed on to the option `send`. */
  readonly context: Context;
}

/** The part of a {@link CodeRequest} that the engine reads. */
export interface CodeSend {
  /**
   * The recipient in a normal form: all spellings of an address or number must be the same text here. 1 to 256
   * characters.
   */
  readonly recipient: string;
  /** The client's IP address. */
  readonly clientIp: string;
  /** The purpose of the code, such as `login`. Null: every purpose. Default null. */
  readonly purpose?: string | null;
  /** Default: no captcha was answered. */
  readonly hasCaptcha?: HasCaptcha | undefined;
}

/** The result for the client. It is the same for every recipient, whether or not a message was sent. */
export interface SentCode {
  /** 128 random bits in base64url, for {@link CodeCheck.handle}. Only the client that asked has it. */
  readonly handle: string;
  /** How long a code is valid, in seconds. */
  readonly validSeconds: number;
  /** The time until the next code may be requested, in seconds. */
  readonly resendSeconds: number;
}

/** The argument of `needsCaptcha`. */
export interface CaptchaQuestion {
  /** The client's IP address. */
  readonly clientIp: string;
  /** As for `send`. Default: none. */
  readonly recipient?: string | undefined;
}

/** The argument of `check`. */
export interface CodeCheck {
  readonly recipient: string;
  /** The code as typed. Full-width digits and blanks around it are accepted. */
  readonly code: string;
  readonly handle?: string | undefined;
  readonly clientIp: string;
  /** Codes for this purpose and codes for every purpose are accepted. Default null: only codes for every purpose. */
  readonly purpose?: string | null;
  /** Default: no captcha was answered. */
  readonly hasCaptcha?: HasCaptcha | undefined;
}

/** A code that was right when it was checked. */
export interface RightCode {
  /** Uses the code up. Of all calls for one code, on any number of nodes, exactly one resolves to true. */
  redeem(): Promise<boolean>;
}

/** The answer of `clear`. */
export interface ClearedCodes {
  /** How many live codes gave their places to new ones. */
  readonly endedCodes: number;
}

/**
 * Codes, their limits and their budgets. Each call rejects with a TypeError for a misspelt member of its argument, and
 * for a value of a wrong type that the program gives.
 */
export interface OneTimeCodes<Context = undefined> {
  /**
   * Sends a code. It returns the same result without a message within `resendSeconds` of the last message, while three
   * codes are live, and for new recipients after their half of a budget is used up.
   *
   * @throws {CodeRecipientRefusedError} {@link CodeCaptchaRequiredError}, {@link CodeSendLimitedError}, and with what
   * the option `send` rejects
   */
  send(request: CodeRequest<Context>): Promise<SentCode>;
  /**
   * Counts an attempt, and then compares. Null: the code is wrong, used, expired, or its attempts are used up. A code
   * that is not a text is wrong, and a handle that is not a text is unknown.
   *
   * @throws {CodeRecipientRefusedError} {@link CodeCaptchaRequiredError}, {@link NewCodeRequiredError}
   */
  check(check: CodeCheck): Promise<RightCode | null>;
  /** Like `check`, but uses a right code up. Resolves to whether the code was right and not used before. */
  redeem(check: CodeCheck): Promise<boolean>;
  /**
   * Whether the next send and the next check of this client need a captcha. Changes nothing. Without `recipient`
   * the answer holds for all of them, and reveals nothing. With it, it reveals as much as the call itself would.
   *
   * @throws {CodeRecipientRefusedError}
   */
  needsCaptcha(client: CaptchaQuestion): Promise<{ readonly send: boolean; readonly check: boolean }>;
  /**
   * Ends the limits on sends and checks of a recipient, for an operator. Its live codes stay valid, except that the
   * oldest ones end if there is no place for a new code.
   */
  clear(recipient: string): Promise<ClearedCodes>;
  /** The limits of a recipient, and their ends. Changes nothing. */
  explain(recipient: string): Promise<CodeExplanation>;
  /** Whether a code is still valid, for a late delivery. Does not read the policy. */
  isLive(recipient: string, id: string): Promise<boolean>;
}
