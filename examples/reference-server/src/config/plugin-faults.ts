import { SetupError } from '@sallyport/options';
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

/** A fault begins with the name of its option. */
const OPTION = new RegExp(`^(?:${Object.keys(propertyOfOption).join('|')})\\b`);

/**
 * A plugin's setup error can be a fault of the environment, which operators know by its variables (OPS-10). Returns
 * such an error as a `ConfigError` that names the variables, and any other error unchanged.
 */
export function inVariables(error: unknown): unknown {
  return error instanceof SetupError ? new ConfigError(error.faults.map(withVariables)) : error;
}

function withVariables(fault: string): string {
  return fault.replace(OPTION, (option) => variableOf(propertyOfOption[option]!));
}
