import type { Answer } from './answer.js';

/** The service answered 503, which says neither that the request is allowed nor that it is refused. */
export class ServiceBusyError extends Error {
  override readonly name = 'ServiceBusyError';
  /** From `Retry-After`; 0 without one. */
  readonly retryAfterSeconds: number;
  constructor(what: string, { headers }: Head) {
    const after = headers.get('retry-after');
    super(`${what.split('?')[0]} was answered 503${after === null ? '' : `, Retry-After ${after}`}`);
    this.retryAfterSeconds = Number.isFinite(Number(after)) ? Number(after) : 0;
  }
}

type Head = Pick<Answer, 'status' | 'headers'>;

/** Sends a request. Every request of a deployment passes one, so that no 503 is judged as an answer (OPS-13). */
export type Exchange = <Received extends Head>(what: string, send: () => Promise<Received>) => Promise<Received>;

/** Rejects with a 503. */
export const refuseBusy: Exchange = async (what, send) => {
  const received = await send();
  if (received.status === 503) throw new ServiceBusyError(what, received);
  return received;
};

/** One run of a check. */
export interface Attempt {
  /** Remembers the first 503, even if the check ignores its rejection. No request begins after it. */
  readonly exchange: Exchange;
  /** Aborted by the first 503, and by the interruption. */
  readonly signal: AbortSignal;
  /** Resolves to the first 503, or null, when no request is in progress. */
  end(): Promise<ServiceBusyError | null>;
}

export function beginAttempt(interruption: AbortSignal): Attempt {
  const over = new AbortController();
  const inProgress = new Set<Promise<unknown>>();
  return {
    signal: AbortSignal.any([interruption, over.signal]),
    async exchange(what, send) {
      over.signal.throwIfAborted();
      const sending = refuseBusy(what, send);
      inProgress.add(sending);
      try {
        return await sending;
      } catch (error) {
        if (error instanceof ServiceBusyError) over.abort(error);
        throw error;
      } finally {
        inProgress.delete(sending);
      }
    },
    async end() {
      await Promise.allSettled(inProgress);
      return over.signal.aborted ? (over.signal.reason as ServiceBusyError) : null;
    },
  };
}

/** How often something is tried that meets 503. */
export const MAX_TRIES = 4;

/** The pause before the second try, in seconds. It doubles, and is never shorter than `Retry-After`. */
const FIRST_PAUSE_SECONDS = 5;

/** The longest pause, in seconds: a longer `Retry-After` is not waited for. */
export const MAX_PATIENCE_SECONDS = 130;

export interface Waiting {
  readonly sleep: (millis: number) => Promise<void>;
  /** Called with the reason of each wait. */
  readonly onWait?: ((reason: string) => void) | undefined;
}

/** Runs it again while it meets 503. Rejects with the last 503. */
export async function retryWhileBusy<Result>(work: () => Promise<Result>, { sleep, onWait }: Waiting): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceBusyError) || tries >= MAX_TRIES) throw error;
      const seconds = Math.max(error.retryAfterSeconds, FIRST_PAUSE_SECONDS * 2 ** (tries - 1));
      if (seconds > MAX_PATIENCE_SECONDS) throw error;
      onWait?.(`waiting ${seconds} s: ${error.message}`);
      await sleep(seconds * 1000);
    }
  }
}
