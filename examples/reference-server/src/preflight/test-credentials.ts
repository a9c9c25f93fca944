import { variableOf } from '../config/config.js';
import { settingCheck } from './preflight-check.js';

/** What images, tutorials and specifications are set up with. */
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

/** Words that a real credential has only by a rare chance. */
const PLACEHOLDER =
  /change.?me|example|placeholder|password|passwd|secret|sample|your[-_ ]|dummy|<[^>]*>|\.\.\.|^(?:test|demo|dev|xxx|123456|abc123|qwerty|letmein)/i;

/** Whether the text is what somebody writes who means to replace it later. */
export function isTestCredential(text: string): boolean {
  return KNOWN.has(text.toLowerCase()) || PLACEHOLDER.test(text) || /^(.)\1*$/.test(text);
}

/** The passwords of the stores: judged before they are tried, because a wrong one opens nothing to look at. */
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
        finding: `the password in ${variableOf(property)} is one that images and tutorials are set up with`,
        fix: 'set another one',
      };
    }
  },
});
