/** The header that identifies a write, as the operations take it in `params.header`. */
export interface IdempotencyHeader {
  readonly 'Idempotency-Key': string;
}

/** A new key: for another write, or for other content. */
export function newKey(): IdempotencyHeader {
  return { 'Idempotency-Key': crypto.randomUUID() };
}

/** What a write answered. */
interface Outcome {
  readonly response: Response;
  readonly error?: { readonly code?: string } | undefined;
}

/** The longest pause between two attempts. If the service asks for a longer one, the application decides. */
const MAX_PAUSE_MILLIS = 30_000;

export interface WriteOnceOptions {
  /** The key of the write. Default: a new one. Give it to go on with a write that threw. */
  readonly key?: IdempotencyHeader;
  /** How often the write is sent at most. Default 3. */
  readonly attempts?: number;
  /** The pause before the next attempt if the service names none, in milliseconds. Default 1000. */
  readonly pauseMillis?: number;
}

/**
 * Sends a write, and again if the network failed or the service asks for that. Every attempt has the same key, so the
 * write takes effect once.
 *
 * @returns the last answer. `IDEMPOTENCY_SUBMITTED` after an attempt without an answer: that attempt took effect.
 * @throws the error of the last attempt, if it had no answer; any other error than that of a failed network at once
 */
export async function writeOnce<Answer extends Outcome>(
  send: (header: IdempotencyHeader) => Promise<Answer>,
  { key = newKey(), attempts = 3, pauseMillis = 1000 }: WriteOnceOptions = {},
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= attempts;
    try {
      const answer = await send(key);
      const pause = retryAfterMillis(answer) ?? pauseMillis;
      if (isLast || !isWorthRepeating(answer) || pause > MAX_PAUSE_MILLIS) return answer;
      await sleep(pause);
    } catch (error) {
      // `fetch` throws this class if it got no answer.
      if (isLast || !(error instanceof TypeError)) throw error;
      await sleep(pauseMillis);
    }
  }
}

function isWorthRepeating({ response: { status }, error }: Outcome): boolean {
  return status === 429 || status === 503 || error?.code === 'IDEMPOTENCY_PROCESSING';
}

function retryAfterMillis({ response }: Outcome): number | null {
  const seconds = response.headers.get('retry-after');
  return seconds === null ? null : Number(seconds) * 1000;
}

function sleep(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
