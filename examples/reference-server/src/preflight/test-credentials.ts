import { variableOf } from '../config/config.js';
import { settingCheck } from './preflight-check.js';

/** Default credentials of images, tutorials and specifications. */
const KNOWN = new Set([
  'admin',
  'administrator',
  'default',
  'foobared',
  'guest',
  'minio',
  'minio123',
  'minioadmin',
  'mysecretpassword',
  'pass',
  'postgres',
  'postgresql',
  'redis',
  'root',
  's3rver',
  'sallyport',
  'sallyport-dev',
  'toor',
  'user',
  // Amazon's documentation.
  'akiaiosfodnn7example',
  'wjalrxutnfemi/k7mdeng/bpxrficyexamplekey',
]);

/** Words that a random credential contains only by a rare chance. */
const PLACEHOLDER =
  /change.?me|example|placeholder|password|passwd|secret|sample|your[-_ ]|dummy|<[^>]*>|\.\.\.|^(?:test|demo|dev|xxx|123456|abc123|qwerty|letmein)/i;

/** Whether the text is a placeholder or a known default. */
export function isTestCredential(text: string): boolean {
  return KNOWN.has(text.toLowerCase()) || PLACEHOLDER.test(text) || /^(.)\1*$/.test(text);
}

/** The passwords of the stores. Checked before the stores are opened, because a wrong password prevents that. */
export const credentials = settingCheck({
  id: 'credentials',
  reads: ['database-url', 'redis-url'],
  *run({ config }) {
    for (const [property, id] of [
      ['database-url', 'credentials.database'],
      ['redis-url', 'credentials.redis'],
    ] as const) {
      const url = config[property];
      const password = url === null ? '' : decodeURIComponent(new URL(url).password);
      if (password === '' || !isTestCredential(password)) continue;
      yield {
        id,
        severity: 'error',
        finding: `the password in ${variableOf(property)} is a default of images and tutorials`,
        fix: 'set another one',
      };
    }
  },
});
