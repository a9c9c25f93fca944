import type { AuthTokens } from '@sallyport/auth-tokens';
import type { LoginAttempts } from '@sallyport/login-policy';
import type { Config } from '../../config/config.js';
import { readMobileNumber } from '../../http/mobile-number.js';
import type { App } from '../../http/module.js';
import { makeEnrolmentCode } from './enrolment-codes.js';
import type { FactorOwner } from './owner.js';
import { type ReencryptedBatch, type ReencryptionParts, reencryptBatch } from './reencryption.js';
import { type ResetParts, resetFactors } from './reset.js';
import type { FactorParts } from './service.js';

interface FactorCommandBase {
  readonly command: 'second-factor';
}

/** The request of an operator of the machine, for an account (MFA-4). */
export interface AccountFactorCommand extends FactorCommandBase {
  readonly action: 'reset' | 'code';
  readonly audience: FactorOwner['audience'];
  readonly username: string;
}

/** Encrypts some secrets with the present key. A server answers it batch by batch, each in a short time. */
export interface ReencryptCommand extends FactorCommandBase {
  readonly action: 'reencrypt';
  /** The account after which it begins. Null: the first one. */
  readonly after: string | null;
}

export type FactorCommand = AccountFactorCommand | ReencryptCommand;

export interface FactorCommandDependencies extends ResetParts, ReencryptionParts {
  readonly config: Pick<Config, 'app.auth.default-region'>;
  /** Finds an account by the name of an administrator, or by a number in E.164. */
  readonly find: (audience: FactorOwner['audience'], name: string) => Promise<FactorOwner | null>;
  readonly authTokens: Pick<AuthTokens, 'revokeAll'>;
  readonly policies: Readonly<Record<FactorOwner['audience'], Pick<LoginAttempts, 'forgetDevices'>>>;
}

/** There is no such account. The command prints this message. */
class FactorCommandRefusedError extends Error {
  override readonly name = 'FactorCommandRefusedError';
}

export interface AccountFactorResult {
  readonly code: string | null;
  /** In milliseconds since 1970. */
  readonly expiresAt: number | null;
}

export type FactorCommandResult = AccountFactorResult | ReencryptedBatch;

/** Carries out the command, with an audit record. Resolves to the code, if one was asked for. */
export async function runFactorCommand(
  dependencies: FactorCommandDependencies,
  command: FactorCommand,
): Promise<FactorCommandResult> {
  if (command.action === 'reencrypt') return reencryptBatch(dependencies, command.after);
  return runAccountCommand(dependencies, command);
}

async function runAccountCommand(
  { config, changes, find, authTokens, policies, ...parts }: FactorCommandDependencies,
  { action, audience, username }: AccountFactorCommand,
): Promise<AccountFactorResult> {
  const name = audience === 'admin' ? username : readMobileNumber(username, config['app.auth.default-region']);
  const owner = await find(audience, name);
  if (owner === null) throw new FactorCommandRefusedError(`There is no account with the name ${username}.`);
  const actor = 'command:second-factor';
  const { subject, username: target } = owner;
  if (action === 'code') {
    const event = { action: 'second-factor.enrolment-code', actor, target, parameters: { audience, subject } };
    return changes.change({ event }, (transaction) => makeEnrolmentCode(transaction, owner));
  }
  const event = { action: 'second-factor.reset', actor, target, parameters: { audience, subject } };
  // Recorded first. An operator whose command fails here repeats it.
  await resetFactors(parts, (work) => changes.change({ event }, work), owner);
  await authTokens.revokeAll(owner, 'SESSION_REVOKED');
  await policies[audience].forgetDevices({ username: target });
  return { code: null, expiresAt: null };
}

/** Answers the command in the server that has the embedded database open. */
export function serveFactorCommand(
  app: App,
  { accounts, ...parts }: Pick<FactorCommandDependencies, 'config' | 'changes' | 'keys'> & FactorParts,
): (request: unknown) => Promise<FactorCommandResult> {
  const dependencies: FactorCommandDependencies = {
    ...parts,
    find: accounts.findByName,
    authTokens: app.authTokens,
    policies: { admin: app.loginPolicy, app: app.appLoginPolicy },
  };
  return (request) => runFactorCommand(dependencies, request as FactorCommand);
}
