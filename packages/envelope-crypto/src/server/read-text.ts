import type { Readable } from 'node:stream';
import { EnvelopeMalformedError, EnvelopeTooLargeError } from '../errors.js';

/**
 * Reads a stream to its end, and holds no more than the limit of it. Beyond the limit the stream is let go and not
 * destroyed, so that the refusal still finds its way out of the connection.
 */
export function readText(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed || stream.readableEnded) {
      // No event is left to wait for.
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

    // Most often there is one chunk, which need not be copied.
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
    const onError = (cause: unknown) => settle(() => reject(new EnvelopeMalformedError({ cause })));
    const onClose = () => onError(new Error('the connection ended within the body'));

    function settle(outcome: () => void): void {
      stream.off('data', onData).off('end', onEnd).off('close', onClose);
      // The error listener stays: a connection that breaks later must not become an uncaught exception.
      outcome();
    }

    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}
