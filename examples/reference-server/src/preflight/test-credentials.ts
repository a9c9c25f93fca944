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
  // The captcha providers' documentation: Turnstile (three), hCaptcha, reCAPTCHA. The first accepts every answer.
  '1x0000000000000000000000000000000aa',
  '2x0000000000000000000000000000000aa',
  '3x0000000000000000000000000000000aa',
  '0x0000000000000000000000000000000000000000',
  '6leixactaaaaagg-vfi1tnrwxmznfuojj4wifjwe',
]);

/** Words that a random credential contains only by a rare chance. */
const PLACEHOLDER =
  /change.?me|example|placeholder|password|passwd|secret|sample|your[-_ ]|dummy|<[^>]*>|\.\.\.|^(?:test|demo|dev|xxx|123456|abc123|qwerty|letmein)/i;

/** Whether the text is a placeholder or a known default. */
export function isTestCredential(text: string): boolean {
  return KNOWN.has(text.toLowerCase()) || PLACEHOLDER.test(text) || /^(.)\1*$/.test(text);
}

/**
 * The passwords of the stores, and the secret of the captcha provider. Checked before the stores are opened, because a
 * wrong password prevents that.
 */
export const credentials = settingCheck({
  id: 'credentials',
  reads: ['database-url', 'redis-url', 'captcha.verify-secret'],
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
    const secret = config['captcha.verify-secret'];
    if (secret !== null && isTestCredential(secret)) {
      yield {
        id: 'credentials.captcha',
        severity: 'error',
        finding: `${variableOf('captcha.verify-secret')} is a placeholder, or a provider's secret for tests, which accepts every answer`,
        fix: 'set the secret of your own site',
      };
    }
  },
});
