import { RefusedError } from '@sallyport/api-client';
import { useEffect, useState } from 'react';
import { useConnection, useSessionState } from '../../service/service.js';
import { type Activity, type ActivityWindow, useActivity } from './activity.js';
import { followActivity, type LiveActivity, type StreamState } from './follow-activity.js';

export interface WatchedActivity {
  readonly counts: Activity | undefined;
  /** What only the stream has. It may be older than the counts. */
  readonly live: LiveActivity | undefined;
  readonly state: StreamState;
  /** When the last of it came, in milliseconds since the Unix epoch. Null: nothing has come. */
  readonly seenAt: number | null;
  /** A refusal that stays, or what reading in place of the stream has failed with. */
  readonly error: Error | null;
  retry(): void;
}

/** What happens, by the stream. Where there is none, the counts are read every few seconds. */
export function useLiveActivity(window: ActivityWindow, isRead: boolean, isPaused: boolean): WatchedActivity {
  const { client } = useConnection();
  // The page stays while its user signs in again.
  const isOpen = useSessionState() === 'open';
  const [seen, setSeen] = useState<{
    readonly window: ActivityWindow;
    readonly activity: LiveActivity;
    readonly at: number;
  }>();
  const [state, setState] = useState<StreamState>('opening');
  const [refusal, setRefusal] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);

  useEffect(() => {
    if (!isRead || isPaused || !isOpen) return;
    const ending = new AbortController();
    const { signal } = ending;
    setRefusal(null);
    setState('opening');
    followActivity({
      ...{ client, window, signal },
      onActivity: (activity) => setSeen({ window, activity, at: Date.now() }),
      onState: setState,
    }).catch((error: unknown) => {
      if (!signal.aborted) setRefusal(error as Error);
    });
    return () => ending.abort();
  }, [client, window, isRead, isPaused, isOpen, tries]);

  const isAway = state === 'away' && refusal === null;
  const polled = useActivity(window, isRead && isOpen && isAway, isPaused);
  const live = seen?.window === window ? seen.activity : undefined;
  return {
    counts: isAway ? (polled.data ?? live) : live,
    live,
    // A notice that follows each attempt would move the page under the pointer.
    state: isAway && !(polled.isSuccess && polled.failureCount === 0) ? 'cut' : state,
    seenAt: isAway && polled.data !== undefined ? polled.dataUpdatedAt : seen?.window === window ? seen.at : null,
    error: refusal ?? (isAway && polled.error instanceof RefusedError ? polled.error : null),
    retry() {
      setTries((count) => count + 1);
      if (isAway) void polled.refetch();
    },
  };
}
