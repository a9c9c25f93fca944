import type { Socket } from 'node:net';

/** A fault of one direction of a connection. */
export type Fault =
  | { readonly kind: 'pass' }
  /** Every byte, and the end of the stream, arrives this much later, in order. */
  | { readonly kind: 'delay'; readonly millis: number }
  /** Nothing arrives and nothing is lost: held bytes are delivered when the fault ends, as after a network split. */
  | { readonly kind: 'black-hole' }
  /** Open and new connections are reset (RST). This also ends the other direction. */
  | { readonly kind: 'reset' }
  /** Each connection is reset after this many more bytes, which truncates an answer. */
  | { readonly kind: 'cut'; readonly afterBytes: number };

/** One direction of one connection. */
export interface Flow {
  apply(fault: Fault): void;
}

interface Held {
  /** Null: the end of the stream. */
  readonly bytes: Buffer | null;
  readonly arrivedAt: number;
}

/** The maximum held by one flow. Beyond it the source is paused, so bytes wait in the sockets and the sender. */
const MAX_HELD_BYTES = 1024 * 1024;

/** Copies bytes from one socket to another under a fault that may change at any time. */
export function pump(source: Socket, sink: Socket, initial: Fault, reset: () => void): Flow {
  let fault = initial;
  let allowance = 0;
  let waiting: NodeJS.Timeout | undefined;
  let heldBytes = 0;
  const held: Held[] = [];

  function take(bytes: Buffer | null): void {
    held.push({ bytes, arrivedAt: performance.now() });
    heldBytes += bytes?.length ?? 0;
    if (heldBytes > MAX_HELD_BYTES) source.pause();
    forward();
  }

  /** Forwards what may pass now, and schedules the rest. */
  function forward(): void {
    clearTimeout(waiting);
    while (!sink.destroyed && fault.kind !== 'black-hole') {
      const next = held[0];
      if (next === undefined) break;
      const remaining = fault.kind === 'delay' ? next.arrivedAt + fault.millis - performance.now() : 0;
      if (remaining > 0) {
        waiting = setTimeout(forward, Math.ceil(remaining));
        break;
      }
      held.shift();
      pass(next.bytes);
    }
    if (heldBytes <= MAX_HELD_BYTES && !sink.writableNeedDrain) source.resume();
  }

  function pass(bytes: Buffer | null): void {
    if (bytes === null) {
      sink.end();
      return;
    }
    heldBytes -= bytes.length;
    if (fault.kind === 'cut' && bytes.length >= allowance) {
      // Bytes that may still pass must be sent before the reset, which discards bytes in transit.
      if (allowance === 0) reset();
      else sink.write(bytes.subarray(0, allowance), reset);
      apply({ kind: 'black-hole' });
      return;
    }
    if (fault.kind === 'cut') allowance -= bytes.length;
    if (!sink.write(bytes)) source.pause();
  }

  function apply(next: Fault): void {
    fault = next;
    if (next.kind === 'cut') allowance = next.afterBytes;
    if (next.kind === 'reset') reset();
    else forward();
  }

  source.on('data', take);
  source.on('end', () => take(null));
  sink.on('drain', forward);
  sink.once('close', () => clearTimeout(waiting));
  apply(initial);
  return { apply };
}
