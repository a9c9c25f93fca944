import type { AuthTokens } from '@sallyport/auth-tokens';

/** Sessions that are open. */
export interface SessionCounts {
  readonly admin: SessionCount;
  readonly app: SessionCount;
}

interface SessionCount {
  readonly count: number;
  /** False if there are more. */
  readonly isExact: boolean;
}

/** Their records are read, so the number is bounded, and they are not counted for each look. */
const PAGE = 200;
const PAGES = 5;
const KEPT_MILLIS = 15_000;

/** Counts the open sessions of all users. */
export function createSessionCounts(
  { findSessions }: Pick<AuthTokens, 'findSessions'>,
  now: () => number = () => performance.now(),
): () => Promise<SessionCounts> {
  let kept: { readonly at: number; readonly counts: Promise<SessionCounts> } | null = null;

  async function countOf(audience: 'admin' | 'app'): Promise<SessionCount> {
    let count = 0;
    let after: string | null = null;
    for (let page = 0; page < PAGES; page += 1) {
      const found = await findSessions({ audience, after, limit: PAGE });
      count += found.sessions.length;
      after = found.next;
      if (after === null) return { count, isExact: true };
    }
    return { count, isExact: false };
  }

  return function readCounts() {
    if (kept !== null && now() - kept.at < KEPT_MILLIS) return kept.counts;
    const counts = Promise.all([countOf('admin'), countOf('app')]).then(([admin, app]) => ({ admin, app }));
    const reading = { at: now(), counts };
    kept = reading;
    counts.catch(() => {
      if (kept === reading) kept = null;
    });
    return counts;
  };
}
