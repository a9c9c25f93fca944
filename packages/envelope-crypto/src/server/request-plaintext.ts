import { EnvelopePlaintextInvalidError } from '../errors.js';
import type { Carrier } from '../wire/envelope.js';

/** What an envelope carries: texts as they would stand in a plaintext request. */
export interface RequestPlaintext {
  /** The query string, without `?`. */
  readonly query: string;
  /** The JSON text of the body; null for no body. */
  readonly body: string | null;
  /** The bytes of the body, as a `Content-Length` would count them. */
  readonly bodyBytes: number;
}

const LINE_FEED = 0x0a;

// ignoreBOM: the text is handed on as it came; what a byte order mark means is up to the parser behind.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Cuts an opened envelope into query and body: step 7 of the protocol. Throws an ordinary 400. */
export function readRequestPlaintext(plaintext: Uint8Array, carrier: Carrier): RequestPlaintext {
  if (carrier === 'query') return { query: decode(plaintext), body: null, bodyBytes: 0 };
  const cut = plaintext.indexOf(LINE_FEED);
  if (cut === -1) throw invalid(new Error('no line feed between query and body'));
  const body = plaintext.subarray(cut + 1);
  return {
    query: cut === 0 ? '' : decode(plaintext.subarray(0, cut)),
    body: body.length === 0 ? null : decode(body),
    bodyBytes: body.length,
  };
}

function decode(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw invalid(new Error('not UTF-8'));
  }
}

function invalid(cause: Error): EnvelopePlaintextInvalidError {
  return new EnvelopePlaintextInvalidError({ cause });
}
