/** A promise that records whether a caller awaits it. If none does, its rejection does not end the process. */
export class WatchedPromise<Value> extends Promise<Value> {
  /** With this species, `await` calls the `then` below, which returns an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  #isAwaited = false;
  #isPending = true;

  static watch<Value>(work: Promise<Value>): WatchedPromise<Value> {
    const watched = new WatchedPromise<Value>((resolve) => resolve(work));
    const end = () => {
      watched.#isPending = false;
    };
    work.then(end, end);
    Promise.prototype.then.call(watched, undefined, () => {});
    return watched;
  }

  /** Whether the caller has awaited it and it has ended. */
  get hasBeenAwaited(): boolean {
    return this.#isAwaited && !this.#isPending;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` calls the `then` of a subclass of Promise
  override then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#isAwaited = true;
    return super.then(onFulfilled, onRejected);
  }
}
