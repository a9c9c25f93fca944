import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { MASK, maskSensitive } from '@sallyport/masking';
import { isResponse } from '@sallyport/plugin-kit/routes';
import type { RouteOptions } from 'fastify';
import { isStream } from './request-identity.js';

/** The answer that a retry gets on a route with `result: 'body'`. */
export interface KeptAnswer {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value, as it was passed to the reply before its schema applied. Undefined: no body. */
  readonly body: unknown;
}

/** Longer answers are not kept, in bytes of UTF-8. */
const MAX_ANSWER_BYTES = 64 * 1024;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The answer as JSON, or the reason why it can't be kept. */
export type AnswerReading = { readonly text: string } | { readonly fault: string };

/** Whether it may be kept is not judged: see {@link readAnswer}. */
export function writeAnswer({ headers, body }: KeptAnswer): AnswerReading {
  if (isForeign(body)) return { fault: 'it is no JSON value: a stream, bytes or a Response' };
  try {
    return { text: JSON.stringify({ headers, body }) };
  } catch {
    return { fault: 'it has no form as JSON' };
  }
}

export function readAnswer({ headers, body }: KeptAnswer): AnswerReading {
  const written = writeAnswer({ headers, body });
  if ('fault' in written) return written;
  const { text } = written;
  if (Buffer.byteLength(text) > MAX_ANSWER_BYTES) return { fault: `it is longer than ${MAX_ANSWER_BYTES} bytes` };
  if (hasSecret({ headers, body: withoutResultCode(JSON.parse(text).body) }))
    return { fault: 'it holds a secret, by the name or the form of a member' };
  return written;
}

function isForeign(body: unknown): boolean {
  if (typeof body === 'function' || typeof body === 'symbol') return true;
  if (typeof body !== 'object' || body === null) return false;
  return (
    ArrayBuffer.isView(body) || body instanceof ArrayBuffer || isResponse(body) || 'getReader' in body || isStream(body)
  );
}

/** Judged as @sallyport/masking judges a value for a log. A secret that is shown once must not be shown again. */
function hasSecret(value: unknown): boolean {
  const all = { maxDepth: 1000, maxEntries: 1_000_000, maxTextLength: 1_000_000, maxBytes: 1_000_000 };
  return JSON.stringify(maskSensitive(value, all)).includes(MASK);
}

/**
 * Many APIs answer `{ "code": 200, "data": … }` or `{ "code": "OK", … }`. A code that is sent to a person is longer.
 */
const RESULT_CODE = /^(\d{1,3}|[A-Z]+)$/;

function withoutResultCode(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('code' in body)) return body;
  const { code, ...rest } = body;
  return RESULT_CODE.test(String(code)) ? rest : body;
}

/** The schema of the route says that it answers a secret. What no schema says is noticed when an answer is kept. */
export function secretFaults({ url, method, schema }: RouteOptions): string[] {
  const secrets = secretsOfAnswers((schema as { readonly response?: unknown } | undefined)?.response);
  if (secrets.length === 0) return [];
  return [
    `${String(method)} ${url}: its answer has ${secrets.join(', ')}, and a secret must not be shown again: ` +
      "use config.idempotency.result: 'location'",
  ];
}

/** The members that hold a secret, by their names, in the schemas of the successful answers of a route. */
function secretsOfAnswers(response: unknown): string[] {
  if (typeof response !== 'object' || response === null) return [];
  const successes = Object.entries(response).filter(([status]) => /^(2..|default)$/i.test(status));
  return [...new Set(successes.flatMap(([, schema]) => secretMembersOf(schema)))];
}

/** Values that are open where the name of a member does not decide alone. */
const OPEN_VALUES = ['NOT_FOUND', 'tax.rate'];

function secretMembersOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const names = keyword === 'properties' && typeof value === 'object' && value !== null ? Object.keys(value) : [];
    return [
      ...names.filter((name) => OPEN_VALUES.every((value) => hasSecret({ [name]: value }))),
      ...secretMembersOf(value),
    ];
  });
}

/**
 * Seals an answer for one record. Nobody who can write to the store can move it to another one.
 *
 * @param scope the name of the record
 */
export function sealAnswer(key: Uint8Array, scope: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(scope));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Null if none of the keys opens it: its key is gone, or it is of another record. */
export function openAnswer(keys: readonly Uint8Array[], scope: string, sealed: string): KeptAnswer | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  for (const key of keys) {
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(scope))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      const { headers, body } = JSON.parse(text) as KeptAnswer;
      return { headers, body };
    } catch {
      // Another key may have sealed it.
    }
  }
  return null;
}
