import type { ExternalCaptchas } from '@sallyport/captcha';
import type { Config } from '../../config/config.js';
import { CAPTCHA_PURPOSES } from './parameters.js';

/** The longest answer. An answer of this protocol has a few hundred characters. */
const MAX_ANSWER_LENGTH = 64 * 1024;

/**
 * Asks a provider by the `siteverify` protocol, which Turnstile, hCaptcha and reCAPTCHA share: a form with `secret`,
 * `response` and `remoteip`, answered by a JSON object with `success`. Null without a provider (CAP-1).
 */
export function createSiteverify(
  config: Pick<Config, 'captcha.verify-url' | 'captcha.verify-secret'>,
): ExternalCaptchas | null {
  const { 'captcha.verify-url': url, 'captcha.verify-secret': secret } = config;
  if (url === null || secret === null) return null;
  return {
    async verify({ token, clientIp = '', purpose, signal }) {
      const body = new URLSearchParams({ secret, response: token, ...(clientIp !== '' && { remoteip: clientIp }) });
      // A redirect would send the secret to another server.
      const response = await fetch(url, { method: 'POST', body, signal, redirect: 'error' });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`the captcha provider answered ${response.status}`);
      }
      const { success, action } = Object(JSON.parse(await boundedText(response)));
      if (typeof success !== 'boolean') throw new Error('the captcha provider answered without success');
      return success && !isForOther(purpose, action);
    },
  };
}

/**
 * Whether the page solved the captcha for another purpose of this server (CAP-3). It says so by the `action` of its
 * widget, which Turnstile and reCAPTCHA v3 report. Any other action, or none, names no purpose.
 */
function isForOther(purpose: string, action: unknown): boolean {
  return action !== purpose && CAPTCHA_PURPOSES.some((other) => other === action);
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_LENGTH) throw new Error('the answer of the captcha provider is too long');
  }
  return text + decoder.decode();
}
