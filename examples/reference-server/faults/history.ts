/** The answer to one attempt to write. */
export type Told =
  /** 201: done, with the created row. */
  | { readonly kind: 'acknowledged'; readonly paymentId: string }
  /** An attempt with this key was done. */
  | { readonly kind: 'submitted' }
  /** The outcome is unknown: the user has to check. */
  | { readonly kind: 'unknown' }
  /** Permanently refused. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** Temporarily refused: still running elsewhere, or a store is unavailable. */
  | { readonly kind: 'try-again'; readonly status: number; readonly code: string }
  /** No answer, or an incomplete one. */
  | { readonly kind: 'nothing'; readonly reason: string };

/** One request, as its client saw it. */
export interface Attempt {
  readonly key: string;
  /** Where it was sent. */
  readonly origin: string;
  /** Milliseconds of one clock, the harness's own. */
  readonly sentAt: number;
  readonly toldAt: number;
  readonly told: Told;
}

/** All requests and answers of the clients, by idempotency key. */
export interface History {
  /** Records a request before it is sent: a request without an answer may have taken effect. */
  begin(key: string): void;
  record(attempt: Attempt): void;
  keys(): Iterable<string>;
  attempts(key: string): readonly Attempt[];
  /** How many keys were told this at least once, and how many attempts there were. */
  count(kind: Told['kind']): number;
  attemptCount(): number;
}

export function createHistory(): History {
  const byKey = new Map<string, Attempt[]>();
  function of(key: string): Attempt[] {
    const present = byKey.get(key);
    if (present !== undefined) return present;
    const made: Attempt[] = [];
    byKey.set(key, made);
    return made;
  }
  return {
    begin: (key) => void of(key),
    record: (attempt) => void of(attempt.key).push(attempt),
    keys: () => byKey.keys(),
    attempts: (key) => byKey.get(key) ?? [],
    count: (kind) => [...byKey.values()].filter((attempts) => attempts.some(({ told }) => told.kind === kind)).length,
    attemptCount: () => [...byKey.values()].reduce((sum, attempts) => sum + attempts.length, 0),
  };
}

/** Whether the client need not retry. */
export function isDefinite({ kind }: Told): boolean {
  return kind === 'acknowledged' || kind === 'submitted' || kind === 'unknown' || kind === 'refused';
}
