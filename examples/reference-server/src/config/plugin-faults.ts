import { AuthTokensSetupError } from '@sallyport/auth-tokens';
import { EnvelopeSetupInvalidError } from '@sallyport/envelope-crypto';
import { ConfigError } from './config-error.js';
import { type Property, variableOf } from './settings.js';

/** Options of plugins whose values come from a variable, so that a fault of one is a fault of the other. */
const propertyOfOption: Readonly<Record<string, Property>> = {
  signingKey: 'auth.token.key',
  verificationKeys: 'auth.token.previous-keys',
  keyId: 'api.encryption.key-id',
  previousKeys: 'api.encryption.previous-keys',
  bypassRoutes: 'api.encryption.bypass-routes',
  backend: 'api.encryption.backend',
};

/** An option stands at the beginning of a fault; several faults are lines of a list, or follow a semicolon. */
const OPTION = new RegExp(`(^|; )(${Object.keys(propertyOfOption).join('|')})\\b`, 'g');

/**
 * What a plugin refuses can be a fault of the environment, which people know by its variables (OPS-10): such an error
 * as a `ConfigError` in their words; any other as it is.
 */
export function inVariables(error: unknown): unknown {
  const isOfSetup = error instanceof AuthTokensSetupError || error instanceof EnvelopeSetupInvalidError;
  if (!isOfSetup) return error;
  const [, faults = ''] = /^(?:auth-tokens|@sallyport\/envelope-crypto):\s*(.*)$/s.exec(error.message) ?? [];
  return new ConfigError(
    faults
      .split(/(?:^|\n)- /)
      .filter((fault) => fault !== '')
      .map(withVariables),
  );
}

function withVariables(fault: string): string {
  return fault.replace(
    OPTION,
    (_, before: string, option: string) => `${before}${variableOf(propertyOfOption[option]!)}`,
  );
}
