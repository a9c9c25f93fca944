import type { LoginAttempts } from '@sallyport/login-policy';
import { Type } from 'typebox';
import type { Config } from '../../config/config.js';
import { readMobileNumber } from '../../http/mobile-number.js';

/** The settings with the terminals of each audience. */
export type TerminalSettings = Pick<Config, 'admin.auth.terminals' | 'app.auth.terminals' | 'app.auth.default-region'>;

/** The policies of administrators and of app users. */
export interface Policies {
  readonly admin: LoginAttempts;
  readonly app: LoginAttempts;
}

/** The account of a name at a terminal. */
export interface PolicyAccount {
  readonly audience: keyof Policies;
  /** The name under which attempts are counted. For app users the number in E.164. */
  readonly username: string;
  readonly terminal: string;
}

/** The terminals of both audiences, for operators. */
export function allTerminals(config: TerminalSettings): readonly string[] {
  return [...config['admin.auth.terminals'], ...config['app.auth.terminals']];
}

/**
 * One of these terminals, in any letter case. With free text, each spelling would have its own counter (LGN-4, LGN-13).
 *
 * @param terminals in lower case, of letters, digits, hyphens and underscores
 */
export function terminalOf(terminals: readonly string[]) {
  const anyCase = (character: string) =>
    /[a-z]/.test(character) ? `[${character.toUpperCase()}${character}]` : character;
  const spellings = terminals.map((terminal) => [...terminal].map(anyCase).join(''));
  return Type.String({ pattern: `^(?:${spellings.join('|')})$` });
}

/** The device token of a client. A malformed token is not an error; it counts as no token (LGN-12). */
export const deviceToken = Type.String({ maxLength: 128 });

/**
 * @param terminal one of {@link allTerminals}, in any case. Default: the first one of administrators
 * @throws {MobileInvalidError} at a terminal of app users, whose names are numbers
 */
export function accountOf(config: TerminalSettings, username: string, terminal?: string): PolicyAccount {
  const known = (terminal ?? config['admin.auth.terminals'][0] ?? '').toLowerCase();
  if (!config['app.auth.terminals'].includes(known)) return { audience: 'admin', username, terminal: known };
  const mobile = readMobileNumber(username, config['app.auth.default-region']);
  return { audience: 'app', username: mobile, terminal: known };
}
