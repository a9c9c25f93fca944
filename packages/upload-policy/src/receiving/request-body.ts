import type { IncomingMessage } from 'node:http';

/** The time for which the rest of a refused upload is read after the answer, so that the client can read the answer. */
const MAX_LINGER_MILLIS = 5000;

/** The number of bytes of the rest that are read. */
const MAX_LINGER_BYTES = 32 * 1024 * 1024;

/**
 * Rejects at the first byte over the limit. It counts the whole body with its framing, after its reading has started.
 */
export function watchBodySize(raw: IncomingMessage, maxBytes: number, makeError: () => Error): Promise<never> {
  return new Promise((_, reject) => {
    let bytes = 0;
    raw.on('data', function count(chunk: Buffer) {
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      raw.off('data', count);
      reject(makeError());
    });
  });
}

/** Stops reading a refused body until it is answered. */
export function stopReading(raw: IncomingMessage): void {
  raw.unpipe();
  raw.pause();
}

/**
 * Reads and drops the rest of a body after its refusal is sent. If the connection were closed while the client still
 * sends, it would be reset and the client would never see the answer. If it were left open, it would wait for the rest
 * forever. Bounds: 32 MiB, 5 s.
 *
 * Call it in `onResponse`, not earlier: bytes read before the answer count, and may use up the bounds. It is for routes
 * that read a body in another way; `receive` does not need it.
 */
export function lingerAfterAnswer(raw: IncomingMessage): void {
  if (raw.readableEnded || raw.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => raw.destroy(), MAX_LINGER_MILLIS).unref();
  raw.once('close', () => clearTimeout(timer));
  raw.once('end', () => clearTimeout(timer));
  raw.on('error', () => {});
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_LINGER_BYTES) raw.destroy();
  });
  raw.resume();
}
