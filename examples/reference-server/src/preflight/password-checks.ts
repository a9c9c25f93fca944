import { ConfigError } from '../config/config.js';
import { openBreachedPasswords } from '../modules/passwords/index.js';
import { settingCheck } from './preflight-check.js';

/** Leaked passwords are refused by a file that the operator makes (PWD-4). */
export const passwords = settingCheck({
  id: 'passwords',
  reads: ['auth.password.breached-file'],
  async *run({ config }) {
    if (config['auth.password.breached-file'] === null) {
      yield {
        id: 'passwords.breached-unknown',
        severity: 'info',
        finding: 'SERVICE_AUTH_PASSWORD_BREACHED_FILE is not set: of leaked passwords only the commonest are refused',
        fix: 'make the file from a list of leaked passwords, if your standard asks for it',
      };
      return;
    }
    try {
      await (await openBreachedPasswords(config))?.close();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const [finding = '', fix = ''] = (error.faults[0] ?? '').split('; ');
      yield { id: 'passwords.breached-file', severity: 'error', finding, fix };
    }
  },
});
