import { Readable } from 'node:stream';

/** An event. A later one replaces one that waits: each has everything. */
export interface StreamEvent {
  /** For `Last-Event-ID`. Null for an event without news. */
  readonly id: string | null;
  /** JSON. */
  readonly data: string;
}

/** A reader that takes nothing for so long is dropped, in milliseconds. */
const STALL_MILLIS = 30_000;

export interface EventStreamOptions {
  /** Seals the data of an event. Called in the order in which they are sent. */
  readonly seal: (data: string) => string;
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number;
}

/**
 * Server-sent events for one reader. At most one event waits, and it is sealed when it is sent, so a slow reader costs
 * no memory and misses what was replaced.
 */
export class EventStream extends Readable {
  readonly #options: EventStreamOptions;
  #waiting: StreamEvent | null = null;
  #waitsSince = 0;
  #isAsked = false;
  #isFinished = false;

  constructor(options: EventStreamOptions) {
    // One byte: nothing is read ahead.
    super({ highWaterMark: 1 });
    this.#options = options;
  }

  /** Sends the event as soon as the reader takes it. */
  offer(event: StreamEvent): void {
    if (this.#waiting === null) this.#waitsSince = this.#options.now();
    this.#waiting = event;
    this.#send();
  }

  /** Whether an event waits. */
  get isBehind(): boolean {
    return this.#waiting !== null;
  }

  get isStalled(): boolean {
    return this.isBehind && this.#options.now() - this.#waitsSince >= STALL_MILLIS;
  }

  /** The end. The reader may come again. */
  finish(): void {
    if (this.#isFinished || this.destroyed) return;
    this.#isFinished = true;
    this.push(null);
  }

  override _read(): void {
    this.#isAsked = true;
    this.#send();
  }

  #send(): void {
    if (!this.#isAsked || this.#waiting === null || this.#isFinished || this.destroyed) return;
    const { id, data } = this.#waiting;
    this.#waiting = null;
    this.#isAsked = false;
    const name = id === null ? '' : `id: ${id}\n`;
    this.push(`${name}data: ${this.#options.seal(data)}\n\n`);
  }
}
