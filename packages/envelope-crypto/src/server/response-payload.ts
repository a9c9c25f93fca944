import type { Readable } from 'node:stream';
import { isClosed } from '@sallyport/plugin-kit/routes';
import type { FastifyReply } from 'fastify';

/** The payload of a response, after Fastify's serialization. */
export type ResponsePayload = string | Uint8Array | Stream | null | undefined;

type Stream = Readable | ReadableStream<Uint8Array | string>;

/** The bytes of a payload that is not a stream. */
export function bytesOf(payload: Exclude<ResponsePayload, Stream>): Uint8Array {
  if (payload === null || payload === undefined) return new Uint8Array(0);
  return typeof payload === 'string' ? Buffer.from(payload) : payload;
}

/** The maximum length of a stream, in bytes. A longer answer belongs on pages. */
const MAX_STREAM_BYTES = 16 * 1024 * 1024;

/** A stream goes on beyond what is read of one. */
export class StreamTooLongError extends Error {
  constructor() {
    super(`a stream of JSON is longer than ${MAX_STREAM_BYTES} bytes`);
  }
}

/**
 * The bytes of a stream, read to its end, because a message is sealed in one piece. The stream is stopped if the client
 * has gone, or if it is too long.
 */
export async function readStream(stream: Stream, raw: FastifyReply['raw']): Promise<Uint8Array> {
  // A stream that is being read is locked, so only its reader can stop it.
  const reader = 'getReader' in stream ? stream.getReader() : null;
  let isAbandoned = false;
  function stop(): void {
    if (reader === null) stopStream(stream);
    else reader.cancel().catch(ignore);
  }
  function abandon(): void {
    isAbandoned = true;
    stop();
  }
  // It would be closed no second time.
  if (isClosed(raw)) abandon();
  raw.once('close', abandon);
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of reader === null ? (stream as Readable) : chunksOf(reader)) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      length += bytes.length;
      if (length <= MAX_STREAM_BYTES) continue;
      stop();
      throw new StreamTooLongError();
    }
    if (isAbandoned) throw new Error('the client has gone before its answer was complete');
    return Buffer.concat(chunks, length);
  } finally {
    raw.off('close', abandon);
  }
}

async function* chunksOf<Chunk>(reader: ReadableStreamDefaultReader<Chunk>): AsyncGenerator<Chunk> {
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
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
