import { completionId, createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import type { PostgresAuditSink } from '@sallyport/audit-log/postgres';
import type { StillLocked } from '@sallyport/login-policy';
import { isIpAddress } from '@sallyport/plugin-kit/addresses';
import { MobileInvalidError } from '../../http/errors.js';
import { type ClearingDependencies, clearLimits } from './clearing.js';
import { accountOf, allTerminals, type PolicyAccount, type TerminalSettings } from './terminals.js';

/** The request of an operator of the machine: a name, or an address. */
export type UnlockRequest =
  | { readonly username: string; readonly terminal?: string | undefined }
  | { readonly address: string };

export interface UnlockDependencies extends ClearingDependencies {
  readonly config: TerminalSettings;
  readonly auditSink: Pick<PostgresAuditSink, 'begin' | 'append'>;
  readonly now: () => number;
  /** Lets an account that nobody has used for long sign in again (PWD-7). */
  readonly renew: (account: PolicyAccount) => Promise<void>;
}

/** The request can't be carried out. The command prints this message. */
class UnlockRefusedError extends Error {
  override readonly name = 'UnlockRefusedError';
}

/** The same length as at sign-in. */
const MAX_USERNAME_LENGTH = 128;

/**
 * Clears the failures of a name or of an address, and renews an account that was not used for long, for the operator of the machine (LGN-11). It is recorded first. If
 * the process dies in between, the record has an unknown outcome.
 *
 * @throws {UnlockRefusedError} before anything is recorded
 */
export async function unlock(
  dependencies: UnlockDependencies,
  request: UnlockRequest,
): Promise<readonly StillLocked[]> {
  const { config, auditSink, now } = dependencies;
  const clearing = clearingOf(config, request);
  const { account, clientIp } = clearing;
  const event = {
    action: 'auth.clear-login-limit',
    actor: 'command:unlock',
    target: account?.username ?? clientIp,
    parameters: { terminal: account?.terminal ?? null, clientIp },
  };
  const origin = { id: createRecordIds(now)(), occurredAt: now() };
  await auditSink.begin([createAuditRecord({ ...event, outcome: 'unknown' }, origin)]);
  const { stillLocked, endedCodes } = await clearLimits(dependencies, clearing);
  if (account !== null) await dependencies.renew(account);
  const completion = { ...origin, id: completionId(origin.id) };
  const parameters = { ...event.parameters, stillLocked: stillLocked.length, endedCodes };
  await auditSink.append([createAuditRecord({ ...event, outcome: 'success', parameters }, completion)]);
  return stillLocked;
}

function clearingOf(config: TerminalSettings, request: UnlockRequest) {
  if ('address' in request) {
    if (!isIpAddress(request.address)) throw new UnlockRefusedError('--address must be an IP address.');
    return { account: null, clientIp: request.address };
  }
  const { username, terminal } = request;
  if (typeof username !== 'string' || !isName(username)) throw new UnlockRefusedError('--username must be a name.');
  const terminals = allTerminals(config);
  if (terminal !== undefined && !terminals.includes(String(terminal).toLowerCase()))
    throw new UnlockRefusedError(`--terminal must be one of ${terminals.join(', ')}.`);
  return { account: namedAccount(config, username, terminal), clientIp: null };
}

function namedAccount(config: TerminalSettings, username: string, terminal: string | undefined): PolicyAccount {
  try {
    return accountOf(config, username, terminal);
  } catch (error) {
    if (!(error instanceof MobileInvalidError)) throw error;
    throw new UnlockRefusedError(`--username must be a mobile number at the terminal '${terminal}' of app users.`);
  }
}

function isName(text: string): boolean {
  return text.length <= MAX_USERNAME_LENGTH && text.trim() !== '' && !/[\p{Cc}\p{Surrogate}]/u.test(text);
}
