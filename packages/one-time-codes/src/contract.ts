import type { CodeExplanation } from './explain.js';

/**
 * Says whether a captcha was answered right, and uses it up. Called only where one is needed, at most once. Only `true`
 * counts as answered.
 */
export type HasCaptcha = () => boolean | Promise<boolean>;

/** What `send` takes. `context` may be left out where it may be undefined. */
export type CodeRequest<Context> = CodeSend &
  (undefined extends Context ? { readonly context?: Context } : WithContext<Context>);

/** The part of a {@link CodeRequest} that is passed on. */
export interface WithContext<Context> {
  /** Passed on to the option `send`. */
  readonly context: Context;
}

/** The part of a {@link CodeRequest} that decides. */
export interface CodeSend {
  /** In one normal form: all spellings of an address or number must be the same text here. 1 to 256 characters. */
  readonly recipient: string;
  /** The client's IP address. */
  readonly clientIp: string;
  /** What the code is for, such as `login`; null: every purpose. Default null. */
  readonly purpose?: string | null;
  /** Default: none was answered. */
  readonly hasCaptcha?: HasCaptcha | undefined;
}

/** What the client gets: the same for every recipient, whether or not a message was sent. */
export interface SentCode {
  /** 128 random bits in base64url, for {@link CodeCheck.handle}. Only the client that asked has it. */
  readonly handle: string;
  /** How long a code is valid, in seconds. */
  readonly validSeconds: number;
  /** When to ask for the next code, in seconds from now. */
  readonly resendSeconds: number;
}

/** What `needsCaptcha` takes. */
export interface CaptchaQuestion {
  /** The client's IP address. */
  readonly clientIp: string;
  /** As for `send`. Default: none. */
  readonly recipient?: string | undefined;
}

/** What `check` takes. */
export interface CodeCheck {
  readonly recipient: string;
  /** As typed. Full-width digits and blanks around it are accepted. */
  readonly code: string;
  readonly handle?: string | undefined;
  readonly clientIp: string;
  /** Codes of this purpose and codes of every purpose are accepted. Default null: only codes of every purpose. */
  readonly purpose?: string | null;
  /** Default: none was answered. */
  readonly hasCaptcha?: HasCaptcha | undefined;
}

/** A code that was right when it was checked. */
export interface RightCode {
  /** Uses the code up. Of all calls for one code, on any number of nodes, exactly one resolves to true. */
  redeem(): Promise<boolean>;
}

/**
 * Codes, their limits and their budgets. Each call rejects with a TypeError for a misspelt member of its argument, and
 * for a value of a wrong type that the program gives.
 */
export interface OneTimeCodes<Context = undefined> {
  /**
   * Sends a code, or answers the same without a message: within `resendSeconds` of the last message, while three codes
   * are live, and to new recipients once their half of a budget is used up.
   *
   * @throws {CodeRecipientRefusedError} {@link CodeCaptchaRequiredError}, {@link CodeSendLimitedError}, and with what
   * the option `send` rejects
   */
  send(request: CodeRequest<Context>): Promise<SentCode>;
  /**
   * Counts an attempt, and then compares. Null: the code is wrong, used, expired, or its attempts are used up. A code
   * that is no text is a wrong one, and a handle that is no text is an unknown one.
   *
   * @throws {CodeRecipientRefusedError} {@link CodeCaptchaRequiredError}, {@link NewCodeRequiredError}
   */
  check(check: CodeCheck): Promise<RightCode | null>;
  /** The same, and uses a right code up. Resolves to whether it was right and nobody else has used it. */
  redeem(check: CodeCheck): Promise<boolean>;
  /**
   * Whether the next send and the next check of this client need a captcha. Changes nothing. Without `recipient`:
   * whatever the recipient, so that it reveals nothing. With it, as much as the call itself would.
   *
   * @throws {CodeRecipientRefusedError}
   */
  needsCaptcha(client: CaptchaQuestion): Promise<{ readonly send: boolean; readonly check: boolean }>;
  /** Frees sends and checks of a recipient. Its live codes stay valid. */
  clear(recipient: string): Promise<void>;
  /** What limits a recipient, and until when. Changes nothing. */
  explain(recipient: string): Promise<CodeExplanation>;
  /** Whether a code is still valid, for a delivery that comes late. Reads no policy. */
  isLive(recipient: string, id: string): Promise<boolean>;
}
