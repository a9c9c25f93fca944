import { createPasswordHashing, type PasswordHashing, type PasswordHashingOptions } from '@sallyport/password-hashing';
import { type Config, MAX_BCRYPT_COST } from '../../config/config.js';
import type { App } from '../../http/module.js';

/**
 * The password hashing of this server. Every cost that can be configured can be verified, because hashes of an earlier,
 * higher cost stay in the database when the cost is lowered.
 */
export function openPasswordHashing(
  config: Pick<Config, 'auth.password.bcrypt-cost'>,
  options: Pick<PasswordHashingOptions, 'threads' | 'log'> = {},
): PasswordHashing {
  return createPasswordHashing({ ...options, cost: config['auth.password.bcrypt-cost'], maxCost: MAX_BCRYPT_COST });
}

/** Closed with the app. */
export function openOwnHashing(app: App, config: Pick<Config, 'auth.password.bcrypt-cost'>): PasswordHashing {
  const hashing = openPasswordHashing(config, { log: app.log });
  app.addHook('onClose', () => hashing.close());
  return hashing;
}
