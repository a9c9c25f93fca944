import type { Readable } from 'node:stream';

/** What a handler may have sent, once Fastify has serialized it. */
export type ResponsePayload = string | Uint8Array | Readable | ReadableStream<Uint8Array | string> | null | undefined;

/**
 * The bytes of a payload, streams read to their end: a message is sealed in one piece. `onAbandoned` is called with a
 * function that stops a stream whose client has gone.
 */
export async function readPayload(
  payload: ResponsePayload,
  onAbandoned: (stop: () => void) => void,
): Promise<Uint8Array> {
  if (payload === null || payload === undefined) return new Uint8Array(0);
  if (typeof payload === 'string') return Buffer.from(payload);
  if (payload instanceof Uint8Array) return payload;
  const chunks: Uint8Array[] = [];
  onAbandoned(() => stopStream(payload));
  for await (const chunk of payload) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

/** Lets go of a payload that nobody will read. */
export function discardPayload(payload: ResponsePayload): void {
  if (isStream(payload)) stopStream(payload);
}

function isStream(payload: ResponsePayload): payload is Readable | ReadableStream {
  return typeof payload === 'object' && payload !== null && !(payload instanceof Uint8Array);
}

function stopStream(stream: Readable | ReadableStream): void {
  if ('destroy' in stream) {
    // Its error has nobody left to hear it.
    stream.on('error', ignore).destroy();
  } else {
    stream.cancel().catch(ignore);
  }
}

function ignore(): void {}
