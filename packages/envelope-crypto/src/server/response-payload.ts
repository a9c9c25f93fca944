import type { Readable } from 'node:stream';

/** The payload of a response, after Fastify's serialization. */
export type ResponsePayload = string | Uint8Array | Stream | null | undefined;

type Stream = Readable | ReadableStream<Uint8Array | string>;

/** The bytes of a payload that is not a stream. */
export function bytesOf(payload: Exclude<ResponsePayload, Stream>): Uint8Array {
  if (payload === null || payload === undefined) return new Uint8Array(0);
  return typeof payload === 'string' ? Buffer.from(payload) : payload;
}

/**
 * The bytes of a stream, read to its end, because a message is sealed in one piece. `onAbandoned` receives a function
 * that stops the stream if the client has gone.
 */
export async function readStream(stream: Stream, onAbandoned: (stop: () => void) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  onAbandoned(() => stopStream(stream));
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

/** Stops a payload that will not be read. */
export function discardPayload(payload: ResponsePayload): void {
  if (isStream(payload)) stopStream(payload);
}

export function isStream(payload: ResponsePayload): payload is Stream {
  return typeof payload === 'object' && payload !== null && !(payload instanceof Uint8Array);
}

function stopStream(stream: Stream): void {
  if ('destroy' in stream) {
    // Without a listener, its error would be an uncaught exception.
    stream.on('error', ignore).destroy();
  } else {
    stream.cancel().catch(ignore);
  }
}

function ignore(): void {}
