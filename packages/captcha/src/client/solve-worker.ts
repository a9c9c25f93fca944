import type { Search, SolveProgress } from './search.js';

/** The part of a page's `Worker` that `solve` uses. */
export interface SolveWorker {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
}

/** The message to the worker. */
export type WorkerRequest = Search;

/** The message from the worker. */
export type WorkerReply =
  | { readonly progress: SolveProgress }
  | { readonly proof: string }
  | { readonly fault: string };

declare const Worker: new (url: URL, options: { readonly type: 'module' }) => SolveWorker;

/**
 * A worker of the page. Bundlers recognise this form, and build the worker as a separate file. Null if there are no
 * workers, as in Node.js, or if the page's policy does not allow this one.
 */
export function startWorker(): SolveWorker | null {
  if (typeof Worker === 'undefined') return null;
  try {
    return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  } catch {
    return null;
  }
}
