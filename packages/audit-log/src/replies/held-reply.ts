import type { FastifyReply } from 'fastify';

type RawReply = FastifyReply['raw'];

/** The methods that send something to the client. Other methods only prepare it. */
const SENDING = ['writeHead', 'flushHeaders', 'write', 'end'] as const;

type Sending = (typeof SENDING)[number];
type Methods = Record<Sending, (...given: unknown[]) => unknown>;

export interface HeldReply {
  /** Sends the held calls. Later calls are not held. */
  release(): void;
  /** Answers with `status` instead of the held calls. Later calls send nothing. */
  replace(status: number, headers: Readonly<Record<string, unknown>>, body: string): void;
}

/**
 * Holds the writes to a hijacked reply until it is released or replaced. `onFirst` is called once, when something is
 * about to be sent; with `isEnded`, the whole reply was written by then. While it is held, `write` returns false, so
 * that a writer that respects it waits for `drain`.
 */
export function holdReply(raw: RawReply, onFirst: (held: HeldReply, isEnded: boolean) => void): void {
  const methods = raw as unknown as Methods;
  const own = Object.fromEntries(SENDING.map((name) => [name, methods[name]])) as Methods;
  const calls: { readonly name: Sending; readonly given: unknown[] }[] = [];
  let isAsked = false;

  const set = (methodOf: (name: Sending) => Methods[Sending]) => {
    for (const name of SENDING) methods[name] = methodOf(name);
  };
  const resultOf = (name: Sending) => (name === 'write' ? false : raw);

  set((name) => (...given) => {
    calls.push({ name, given });
    if (name === 'writeHead') raw.statusCode = given[0] as number;
    else ask();
    return resultOf(name);
  });

  function ask(): void {
    if (isAsked) return;
    isAsked = true;
    // The handler may write the rest in the same turn.
    queueMicrotask(() =>
      onFirst(
        { release, replace },
        calls.some(({ name }) => name === 'end'),
      ),
    );
  }

  function release(): void {
    set((name) => own[name]);
    let needsDrain = false;
    for (const { name, given } of calls.splice(0)) {
      const result = methods[name](...given);
      if (name === 'write') needsDrain = result !== false;
    }
    if (needsDrain && !raw.writableEnded) raw.emit('drain');
  }

  function replace(status: number, headers: Readonly<Record<string, unknown>>, body: string): void {
    calls.length = 0;
    set((name) => own[name]);
    methods.writeHead(status, headers);
    methods.end(body);
    // The handler may still write. After the end, that would be an error without a listener.
    set((name) => () => resultOf(name));
  }
}
