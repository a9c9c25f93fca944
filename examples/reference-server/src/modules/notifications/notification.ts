import type { Language } from '../../http/language.js';

/** A code by text message: all that is known of it, and no word about who has an account. */
export interface SmsCodeNotification {
  readonly id: string;
  readonly kind: 'sms-code';
  /** In E.164. */
  readonly mobile: string;
  readonly code: string;
  /** Which of the number's codes it is. */
  readonly codeId: string;
  readonly language: Language;
  readonly validMinutes: number;
  /** Not to be sent from then on, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** What the service tells people by other ways than its answers. */
export type Notification = SmsCodeNotification;

/** A text message as a sender takes it. */
export interface TextMessage {
  readonly id: string;
  readonly mobile: string;
  readonly text: string;
  readonly code: string;
  readonly validMinutes: number;
  readonly expiresAt: number;
}

/** Brings messages on their way; exchangeable. */
export interface Sender {
  /**
   * Does what can be done before a message leaves, such as connecting: whoever dies in the meantime has sent nothing.
   *
   * @throws {NotTakenError}
   */
  prepare(message: TextMessage): Promise<PreparedSend>;
}

/** One message that is about to leave. */
export interface PreparedSend {
  /**
   * Resolves once the message was taken.
   *
   * @throws {NotTakenError} when it surely wasn't; any other error leaves that open
   */
  send(): Promise<void>;
  /** Lets go of what was prepared; after a send too. */
  abandon(): void;
}

/** The message was surely not taken: trying again can't send it twice. */
export class NotTakenError extends Error {
  override readonly name = 'NotTakenError';
  /** Whether it makes no sense to try again. */
  readonly isFinal: boolean;
  constructor(reason: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(reason, options);
    this.isFinal = isFinal;
  }
}

/** What people read. */
export function textOf({ language, code, validMinutes }: Notification): string {
  return language === 'zh-CN'
    ? `您的验证码是 ${code}，${validMinutes} 分钟内有效。请勿告诉他人。`
    : `Your code is ${code}. It is valid for ${validMinutes} ${validMinutes === 1 ? 'minute' : 'minutes'}. Tell it to nobody.`;
}
