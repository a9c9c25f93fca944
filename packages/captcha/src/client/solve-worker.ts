import type { Search, SolveProgress } from './search.js';

/** What a worker of a page is to `solve`: any `Worker` is one. */
export interface SolveWorker {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
}

/** What the worker is sent. */
export type WorkerRequest = Search;

/** What the worker sends. */
export type WorkerReply =
  | { readonly progress: SolveProgress }
  | { readonly proof: string }
  | { readonly fault: string };

declare const Worker: new (url: URL, options: { readonly type: 'module' }) => SolveWorker;

/**
 * A worker of the page. This form is the one that bundlers understand: they build the worker as a file of its own.
 * Null where there are no workers, as in Node.js, or where the page's policy allows none from here.
 */
export function startWorker(): SolveWorker | null {
  if (typeof Worker === 'undefined') return null;
  try {
    return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  } catch {
    return null;
  }
}
