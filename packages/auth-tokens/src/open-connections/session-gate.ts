import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { isResponse } from '@sallyport/plugin-kit/routes';

/** The body of an answer on its way through a gate that can be shut, and broken. */
export interface GatedBody {
  /** The stream that is sent in place of the body. */
  readonly body: unknown;
  /** Breaks off the answer and ends the source. */
  destroy(error: Error): void;
  pause(): void;
  resume(): void;
  /** Called once, when nothing more will pass. */
  onClose(listener: () => void): void;
}

/** Lets chunks pass one by one. While it is shut, it holds one chunk, and the source waits as for a slow client. */
class Gate extends Transform {
  #isShut = false;
  #held: (() => void) | null = null;

  constructor() {
    // Chunks that have passed are not buffered, because they would be sent although the gate is shut.
    super({ readableHighWaterMark: 0 });
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, pass: TransformCallback): void {
    this.#whenOpen(() => pass(null, chunk));
  }

  /** The end is also held, because an answer that is broken off must not look complete. */
  override _flush(pass: TransformCallback): void {
    this.#whenOpen(() => pass());
  }

  #whenOpen(pass: () => void): void {
    if (this.#isShut) this.#held = pass;
    else pass();
  }

  shut(): void {
    this.#isShut = true;
  }

  open(): void {
    this.#isShut = false;
    const held = this.#held;
    this.#held = null;
    held?.();
  }
}

/** Null: nothing is streamed. Payloads that Fastify would refuse, such as a locked stream, are left to it. */
export function gateBody(payload: object): GatedBody | null {
  if ('pipe' in payload && typeof payload.pipe === 'function') return gateStream(payload as NodeJS.ReadableStream);
  if ('getReader' in payload && typeof payload.getReader === 'function') {
    const stream = payload as ReadableStream<unknown>;
    return stream.locked ? null : gateWebStream(stream);
  }
  if (!isResponse(payload) || payload.body === null || payload.bodyUsed) return null;
  const { gated, body } = gateResponseBody(payload.body);
  return { ...gated, body: new Response(body, payload) };
}

/** The body of a Response of node-fetch is a stream of Node.js. */
function gateResponseBody(source: ReadableStream<unknown> | NodeJS.ReadableStream) {
  if ('getReader' in source) {
    const gated = gateWebStream(source);
    return { gated, body: gated.body as ReadableStream<Uint8Array> };
  }
  const gated = gateStream(source);
  return { gated, body: Readable.toWeb(gated.body as Readable) as ReadableStream<Uint8Array> };
}

function gateStream(source: NodeJS.ReadableStream): GatedBody {
  const gate = new Gate();
  // If one of the two fails or is destroyed, the other one is destroyed as well.
  pipeline(source, gate, () => {});
  // If the answer is no longer read, its error would end the process.
  gate.on('error', () => {});
  return {
    body: gate,
    destroy: (error) => void gate.destroy(error),
    pause: () => gate.shut(),
    resume: () => gate.open(),
    onClose: (listener) => void gate.once('close', listener),
  };
}

function gateWebStream(source: ReadableStream<unknown>): GatedBody {
  const reader = source.getReader();
  let shut: Promise<void> | null = null;
  let open: () => void = () => {};
  let controller: ReadableStreamDefaultController<unknown> | undefined;
  let notify: () => void = () => {};
  const body = new ReadableStream<unknown>(
    {
      start(given) {
        controller = given;
      },
      async pull(given) {
        try {
          const { done, value } = await reader.read();
          await shut;
          if (done) {
            given.close();
            notify();
          } else given.enqueue(value);
        } catch (error) {
          notify();
          throw error;
        }
      },
      async cancel(reason) {
        notify();
        open();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    destroy(error) {
      controller?.error(error);
      notify();
      open();
      reader.cancel(error).catch(() => {});
    },
    pause() {
      shut ??= new Promise((resolve) => {
        open = resolve;
      });
    },
    resume() {
      open();
      shut = null;
    },
    onClose(listener) {
      notify = listener;
    },
  };
}
