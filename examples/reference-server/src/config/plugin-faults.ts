import { SetupError } from '@sallyport/plugin-kit/options';
import { ConfigError } from './config-error.js';
import { type Config, type Property, variableOf } from './settings.js';

const KEY_MODULE = 'api.encryption.key-provider-module';

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
export function inVariables(error: unknown, config?: Pick<Config, typeof KEY_MODULE>): unknown {
  if (error instanceof SetupError) return new ConfigError(error.faults.map(withVariables));
  // Fastify's time limit for a plugin was exceeded. Only a module of the deployment can keep this plugin waiting.
  if (config === undefined || config[KEY_MODULE] === null || !isTimeoutOfEnvelopes(error)) return error;
  const fault = `${variableOf(KEY_MODULE)}: load has not ended in time; let it reject where its keys can't be reached`;
  return new ConfigError([fault], { cause: error });
}

function isTimeoutOfEnvelopes(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return /TIMEOUT$/.test(String(code)) && /@sallyport\/envelope-crypto/.test(String(message));
}

function withVariables(fault: string): string {
  return fault.replace(OPTION, (option) => variableOf(propertyOfOption[option]!));
}
