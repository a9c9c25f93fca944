import type { AuthTokens } from '@sallyport/auth-tokens';
import type { LoginAttempts } from '@sallyport/login-policy';
import type { Config } from '../../config/config.js';
import { readMobileNumber } from '../../http/mobile-number.js';
import type { App } from '../../http/module.js';
import type { Changes } from '../../storage/changes.js';
import { normalizeUsername as normalizeName } from '../administrators/index.js';
import { makeEnrolmentCode } from './enrolment-codes.js';
import type { FactorOwner } from './owner.js';
import { type ResetParts, resetFactors } from './reset.js';
import type { FactorParts } from './service.js';

/** The request of an operator of the machine (MFA-4). */
export interface FactorCommand {
  readonly command: 'second-factor';
  readonly action: 'reset' | 'code';
  readonly audience: FactorOwner['audience'];
  readonly username: string;
}

export interface FactorCommandDependencies extends ResetParts {
  readonly config: Pick<Config, 'app.auth.default-region'>;
  readonly changes: Changes;
  /** Finds an account by its normalised name. */
  readonly find: (audience: FactorOwner['audience'], name: string) => Promise<FactorOwner | null>;
  readonly authTokens: Pick<AuthTokens, 'revokeAll'>;
  readonly policies: Readonly<Record<FactorOwner['audience'], Pick<LoginAttempts, 'forgetDevices'>>>;
}

/** There is no such account. The command prints this message. */
class FactorCommandRefusedError extends Error {
  override readonly name = 'FactorCommandRefusedError';
}

export interface FactorCommandResult {
  readonly code: string | null;
  /** In milliseconds since 1970. */
  readonly expiresAt: number | null;
}

/** Carries out the command, with an audit record. Resolves to the code, if one was asked for. */
export async function runFactorCommand(
  { config, changes, find, authTokens, policies, ...parts }: FactorCommandDependencies,
  { action, audience, username }: FactorCommand,
): Promise<FactorCommandResult> {
  const name =
    audience === 'admin' ? normalizeName(username) : readMobileNumber(username, config['app.auth.default-region']);
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
  { accounts, ...parts }: Pick<FactorCommandDependencies, 'config' | 'changes'> & FactorParts,
): (request: unknown) => Promise<FactorCommandResult> {
  const dependencies: FactorCommandDependencies = {
    ...parts,
    find: accounts.findByName,
    authTokens: app.authTokens,
    policies: { admin: app.loginPolicy, app: app.appLoginPolicy },
  };
  return (request) => runFactorCommand(dependencies, request as FactorCommand);
}
