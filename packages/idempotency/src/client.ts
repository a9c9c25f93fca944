import { canonicalJson } from './canonical-json.js';

/** The `Idempotency-Key` of one form, for browsers and Node. */
export interface FormKey {
  /**
   * The key to send with this content: the same for repeated clicks and network retries, a new one when the content has
   * changed. The order of members doesn't matter. Throws for content that is not JSON, such as a `FormData`: pass
   * `Object.fromEntries(…)` of it. Send it bare, or in quotation marks as in the IETF draft. Both are the same key.
   */
  keyFor(content: unknown): string;
  /**
   * Forgets the key. The next submission is a new one, even with the same content. Call it after a success, after
   * `refresh-and-view`, and after `check-then-new-key` once the user has checked. Never call it for a missing reply.
   */
  reset(): void;
}

/**
 * Keeps the key of a form. Create one when the form is shown.
 *
 * @example
 * ```ts
 * const form = createFormKey(); // when the form is shown
 *
 * export const submit = (content: unknown) =>
 *   fetch('/payments', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json', 'idempotency-key': form.keyFor(content) },
 *     body: JSON.stringify(content),
 *   });
 * ```
 */
export function createFormKey(): FormKey {
  let submission: { readonly content: string; readonly key: string } | null = null;

  return {
    keyFor(given) {
      const content = canonicalJson(given);
      if (submission?.content !== content) submission = { content, key: newKey() };
      return submission.key;
    },
    reset() {
      submission = null;
    },
  };
}

/** The part of the Web Crypto API that browsers also have on plain HTTP, where `crypto.randomUUID` is missing. */
declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

/** RFC 9562, 5.4: version 4. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
