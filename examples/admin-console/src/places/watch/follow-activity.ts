import { type ApiClient, type components, dataOf, RefusedError, readEvents } from '@sallyport/api-client';
import type { Activity, ActivityWindow } from './activity.js';

interface SessionCount {
  readonly count: number;
  /** False if there are more. */
  readonly isExact: boolean;
}

export interface Sources {
  readonly names: readonly {
    readonly audience: 'admin' | 'app';
    readonly id: string;
    readonly name: string;
    readonly failures: number;
  }[];
  readonly addresses: readonly { readonly address: string; readonly failures: number }[];
  readonly networks: readonly { readonly network: string; readonly failures: number }[];
}

/** What an event of the stream shows. */
export interface LiveActivity extends Activity {
  readonly sessions: { readonly admin: SessionCount; readonly app: SessionCount } | null;
  /** Null without the permission. */
  readonly sources: Sources | null;
  /** The first locks in force. Null without the permission. */
  readonly locks: {
    readonly data: readonly components['schemas']['PresentLock'][];
    readonly hasMore: boolean;
  } | null;
}

/** `opening`: nothing has come yet. `cut`: it is opened again. `away`: that has failed more than once. */
export type StreamState = 'opening' | 'live' | 'cut' | 'away';

export interface FollowOptions {
  readonly client: Pick<ApiClient, 'api' | 'encryption'>;
  readonly window: ActivityWindow;
  readonly signal: AbortSignal;
  onActivity(activity: LiveActivity): void;
  onState(state: StreamState): void;
  /** Waits. Default: by the clock of the page. */
  readonly pause?: (millis: number, signal: AbortSignal) => Promise<void>;
}

/** The service sends something at least every 15 seconds. */
const SILENCE_MILLIS = 40_000;

/** The waits before it is opened again. The last one is repeated. */
const PAUSES = [250, 1000, 2000, 5000, 15_000] as const;

/** From so many failures on, something in between may not let streams through. */
const AWAY_AFTER = 3;

/** An end of the session, or a permission that is missing: trying again would change nothing. */
const FINAL_STATUSES: readonly number[] = [400, 401, 403, 404];

const isFinal = (error: unknown) => error instanceof RefusedError && FINAL_STATUSES.includes(error.problem.status);

/**
 * Follows what happens until it is aborted. After a cut it opens the stream again after the event that came last.
 * Rejects with a refusal that stays.
 */
export async function followActivity(options: FollowOptions): Promise<void> {
  const { signal, onState, pause = pauseByClock } = options;
  let lastEventId: string | null = null;
  let failures = 0;

  async function followOnce(): Promise<void> {
    const silent = new AbortController();
    let timer = setTimeout(() => silent.abort(), SILENCE_MILLIS);
    try {
      const answer = await options.client.api.GET('/admin/activity/stream', {
        params: {
          query: { window: options.window },
          ...(lastEventId !== null && { header: { 'Last-Event-ID': lastEventId } }),
        },
        parseAs: 'stream',
        signal: AbortSignal.any([signal, silent.signal]),
      });
      dataOf(answer);
      for await (const { id, data } of readEvents(options.client, answer.response)) {
        clearTimeout(timer);
        timer = setTimeout(() => silent.abort(), SILENCE_MILLIS);
        if (signal.aborted) return;
        const event = JSON.parse(data) as { readonly kind: string; readonly activity?: LiveActivity };
        if (event.kind === 'activity' && event.activity !== undefined) {
          options.onActivity(event.activity);
          // Not before it is shown.
          lastEventId = id;
        }
        failures = 0;
        onState('live');
      }
    } finally {
      clearTimeout(timer);
    }
  }

  while (!signal.aborted) {
    try {
      await followOnce();
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) throw error;
    }
    if (signal.aborted) return;
    failures += 1;
    onState(failures >= AWAY_AFTER ? 'away' : 'cut');
    await pause(PAUSES[Math.min(failures, PAUSES.length) - 1]!, signal);
  }
}

function pauseByClock(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
