import { SetupError } from '@sallyport/options';
import { ConfigError } from './config-error.js';
import { type Property, variableOf } from './settings.js';

/** Plugin options whose values come from a variable. */
const propertyOfOption: Readonly<Record<string, Property>> = {
  signingKey: 'auth.token.key',
  verificationKeys: 'auth.token.previous-keys',
  keyId: 'api.encryption.key-id',
  keySource: 'api.encryption.key-provider-module',
  previousKeys: 'api.encryption.previous-keys',
  bypassRoutes: 'api.encryption.bypass-routes',
  backend: 'api.encryption.backend',
};

/** A plugin's message begins with the name of the option. */
const OPTION = new RegExp(`^(?:${Object.keys(propertyOfOption).join('|')})\\b`);

/**
 * Converts a plugin's setup error to a `ConfigError` that names the variables instead of the options (OPS-10). Returns
 * any other error unchanged.
 */
export function inVariables(error: unknown): unknown {
  return error instanceof SetupError ? new ConfigError(error.faults.map(withVariables)) : error;
}

function withVariables(fault: string): string {
  return fault.replace(OPTION, (option) => variableOf(propertyOfOption[option]!));
}
