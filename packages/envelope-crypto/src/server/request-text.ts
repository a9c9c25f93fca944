import type { Readable } from 'node:stream';
import { EnvelopeMalformedError, EnvelopePlaintextInvalidError, EnvelopeTooLargeError } from '../errors.js';
import type { Carrier } from '../wire/index.js';

/**
 * Reads a stream to its end, up to the limit. Beyond the limit the stream is paused and not destroyed, so that the
 * refusal can still be sent over the connection.
 */
export function readText(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed || stream.readableEnded) {
      // The stream would emit no further event.
      reject(new EnvelopeMalformedError({ cause: new Error('the body is gone before it was read') }));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;

    function onData(data: Buffer | string): void {
      const chunk = typeof data === 'string' ? Buffer.from(data) : data;
      length += chunk.length;
      if (length > maxBytes) {
        stream.pause();
        settle(() => reject(new EnvelopeTooLargeError()));
      } else {
        chunks.push(chunk);
      }
    }

    // Most bodies have one chunk, which needs no copy.
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
    const onError = (cause: unknown) => settle(() => reject(new EnvelopeMalformedError({ cause })));
    const onClose = () => onError(new Error('the connection ended within the body'));

    function settle(outcome: () => void): void {
      stream.off('data', onData).off('end', onEnd).off('close', onClose);
      // The error listener stays, because a connection that breaks later must not cause an uncaught exception.
      outcome();
    }

    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/** The content of an envelope: the texts of a plaintext request. */
export interface RequestPlaintext {
  /** The query string, without `?`. */
  readonly query: string;
  /** The JSON text of the body. Null without a body. */
  readonly body: string | null;
  /** Bytes of the body, as in `Content-Length`. */
  readonly bodyBytes: number;
}

const LINE_FEED = 0x0a;

// ignoreBOM passes the text on unchanged: the JSON parser decides about a byte order mark.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Splits an opened envelope into query and body: step 7 of the protocol. Throws an ordinary 400. */
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

/** Whether an opened envelope has a query. */
export function hasQuery(plaintext: Uint8Array, carrier: Carrier): boolean {
  return carrier === 'query' ? plaintext.length > 0 : plaintext.indexOf(LINE_FEED) > 0;
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
