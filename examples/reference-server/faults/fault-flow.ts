import type { Socket } from 'node:net';

/** What happens to the bytes of one direction. */
export type Fault =
  | { readonly kind: 'pass' }
  /** Every byte arrives this much later, in order; so does the end of the stream. */
  | { readonly kind: 'delay'; readonly millis: number }
  /** Nothing arrives, and nothing is lost: what was held back follows when the fault ends, as after a network split. */
  | { readonly kind: 'black-hole' }
  /** Connections that are open, and those that are opened, are reset (RST). The other direction can't survive that. */
  | { readonly kind: 'reset' }
  /** This many more bytes of each connection pass, then it is reset: an answer that breaks off in the middle. */
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

/** As much may wait in a flow before its source has to; the rest waits in the sockets, and so in the sender. */
const MAX_HELD_BYTES = 1024 * 1024;

/** Carries bytes from one socket to another under a fault that may change at any time. */
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

  /** Passes on what may pass now, and wakes up for what may pass later. */
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
      // What may still pass must have left before the reset, which throws away what is on its way.
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
