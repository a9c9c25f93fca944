/** The answer to one write attempt. */
export type Told =
  /** 201: the row was created. */
  | { readonly kind: 'acknowledged'; readonly paymentId: string }
  /** An earlier attempt with this key was completed. */
  | { readonly kind: 'submitted' }
  /** The outcome is unknown: the user must check. */
  | { readonly kind: 'unknown' }
  /** Permanently refused. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** Temporarily refused: another attempt is running, or a store is unavailable. */
  | { readonly kind: 'try-again'; readonly status: number; readonly code: string }
  /** No answer, or an incomplete one. */
  | { readonly kind: 'nothing'; readonly reason: string };

/** One request, as the client saw it. */
export interface Attempt {
  readonly key: string;
  /** The server's origin. */
  readonly origin: string;
  /** Milliseconds on the harness's clock. */
  readonly sentAt: number;
  readonly toldAt: number;
  readonly told: Told;
}

/** All requests and answers, by idempotency key. */
export interface History {
  /** Records a request before it is sent, because a request without an answer may have taken effect. */
  begin(key: string): void;
  record(attempt: Attempt): void;
  keys(): Iterable<string>;
  attempts(key: string): readonly Attempt[];
  /** The number of keys with at least one such answer, and the number of attempts. */
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

/** Whether the client can stop retrying. */
export function isDefinite({ kind }: Told): boolean {
  return kind === 'acknowledged' || kind === 'submitted' || kind === 'unknown' || kind === 'refused';
}
