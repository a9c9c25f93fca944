import type { IncomingMessage } from 'node:http';

/** How long a refused upload is read on after its answer, in milliseconds, so that the client gets to read that. */
const LINGER_MILLIS = 5000;

/** How much of it is read on, in bytes. */
const LINGER_BYTES = 32 * 1024 * 1024;

/** Rejects at the first byte too many of a body, framing and all, whose reading has begun. */
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

/** Nothing more is read of a refused body until it has been answered. */
export function stopReading(raw: IncomingMessage): void {
  raw.unpipe();
  raw.pause();
}

/**
 * Reads and forgets what is left of a body once its refusal is sent. A connection closed while the client still sends is
 * reset, and the client would never see why; one kept open would wait for the rest for ever. Bounded: 32 MiB, 5 s.
 *
 * For `onResponse`, and no earlier: what is read on before the answer is sent counts, and may use up the bounds. `receive`
 * sees to it by itself; this is for a route that reads a body in another way.
 */
export function lingerAfterAnswer(raw: IncomingMessage): void {
  if (raw.readableEnded || raw.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => raw.destroy(), LINGER_MILLIS).unref();
  raw.once('close', () => clearTimeout(timer));
  raw.once('end', () => clearTimeout(timer));
  raw.on('error', () => {});
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) raw.destroy();
  });
  raw.resume();
}
