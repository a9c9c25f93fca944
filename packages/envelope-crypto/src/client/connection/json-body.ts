import { isJsonContentType, type TextDecoding } from '../../wire/index.js';
import { EnvelopeClientError } from '../errors.js';

/**
 * The text of a body that an envelope can carry. Throws `REQUEST_UNSUPPORTED` for another.
 *
 * @param body a string or bytes; null and an empty string mean no body
 */
export function readBody(body: unknown, contentType: string | null, decodeText: TextDecoding): string | null {
  if (body === null || body === undefined || body === '') return null;
  if (contentType !== null && !isJsonContentType(contentType))
    throw unsupportedContent(`the content type ${contentType}`);
  if (typeof body === 'string') return body;
  const bytes = bytesOf(body);
  if (bytes === null) throw unsupportedContent(Object.prototype.toString.call(body));
  // A byte order mark is dropped, as in TextDecoder.
  return decodeText(bytes).replace(/^\ufeff/, '');
}

function bytesOf(body: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return body instanceof ArrayBuffer ? new Uint8Array(body) : null;
}

/** The error for a request that an envelope can't carry. */
export function unsupportedContent(what: string): EnvelopeClientError {
  const fix = 'send application/json, or name the exempt path under `bypass`';
  return new EnvelopeClientError('REQUEST_UNSUPPORTED', `an envelope carries JSON, not ${what}: ${fix}`);
}
