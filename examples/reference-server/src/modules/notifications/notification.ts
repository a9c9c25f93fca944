import type { Language } from '../../http/language.js';

/** A code to send by text message. It reveals nothing about accounts. */
export interface SmsCodeNotification {
  readonly id: string;
  readonly kind: 'sms-code';
  /** In E.164. */
  readonly mobile: string;
  readonly code: string;
  /** The id of the code. */
  readonly codeId: string;
  /** The purpose of the code. Null, or absent in messages of an earlier release: the code serves every purpose. */
  readonly purpose?: 'login' | 'recover' | null;
  readonly language: Language;
  readonly validMinutes: number;
  /** Milliseconds since the Unix epoch. The message must not be sent after this time. */
  readonly expiresAt: number;
}

/** A message that the service sends to a person. */
export type Notification = SmsCodeNotification;

/** A text message in the form that senders accept. */
export interface TextMessage {
  readonly id: string;
  readonly mobile: string;
  readonly text: string;
  readonly code: string;
  readonly validMinutes: number;
  readonly expiresAt: number;
}

/** Sends messages. Replaceable. */
export interface Sender {
  /**
   * Does everything that can precede the send, such as connecting. If the process dies during this, nothing was sent.
   *
   * @throws {NotTakenError}
   */
  prepare(message: TextMessage): Promise<PreparedSend>;
}

/** One prepared message. */
export interface PreparedSend {
  /**
   * Resolves once the message was accepted.
   *
   * @throws {NotTakenError} if it was certainly not accepted; after any other error the outcome is unknown
   */
  send(): Promise<void>;
  /** Releases what was prepared. Also called after a send. */
  abandon(): void;
}

/** The message was certainly not accepted. A retry can't send it twice. */
export class NotTakenError extends Error {
  override readonly name = 'NotTakenError';
  /** Whether retrying is pointless. */
  readonly isFinal: boolean;
  constructor(reason: string, { isFinal = false, ...options }: ErrorOptions & { isFinal?: boolean } = {}) {
    super(reason, options);
    this.isFinal = isFinal;
  }
}

/** The text of the message. */
export function textOf({ language, code, purpose = null, validMinutes }: Notification): string {
  const what = uses[language][purpose ?? 'any'];
  return language === 'zh-CN'
    ? `您的${what}验证码是 ${code}，${validMinutes} 分钟内有效。请勿告诉他人。`
    : `Your code ${what}is ${code}. It is valid for ${validMinutes} ${validMinutes === 1 ? 'minute' : 'minutes'}. Do not share it.`;
}

/** The purpose of a code in its message, so that a code that is requested by a trick does not look like another one. */
const uses = {
  en: { login: 'to sign in ', recover: 'to set a new password ', any: '' },
  'zh-CN': { login: '登录', recover: '重置密码', any: '' },
} as const;
