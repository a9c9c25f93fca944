// The program of the worker in which `solve` searches. It is loaded as a module and exports nothing.
import { type SolveProgress, search } from './search.js';
import type { WorkerReply, WorkerRequest } from './solve-worker.js';

/**
 * The global object of a worker. In a page, which has a `document`, in Node.js, which has no `postMessage`, and in the
 * main thread of Bun this module does nothing. A listener would keep the process of Bun alive.
 */
interface WorkerScope {
  readonly document?: unknown;
  readonly Bun?: { readonly isMainThread: boolean };
  postMessage(reply: WorkerReply): void;
  onmessage: ((event: { readonly data: WorkerRequest }) => void) | null;
}

/** The number of evaluations between two reports. A page needs only a few reports a second. */
const REPORTED_EVALUATIONS = 5;

const scope = globalThis as unknown as WorkerScope;

const isWorker = scope.document === undefined && scope.Bun?.isMainThread !== true;
if (isWorker && typeof scope.postMessage === 'function') {
  scope.onmessage = ({ data }) => {
    try {
      scope.postMessage({ proof: run(data, (progress) => scope.postMessage({ progress })) });
    } catch (error) {
      scope.postMessage({ fault: String(error) });
    }
  };
}

function run(request: WorkerRequest, report: (progress: SolveProgress) => void): string {
  const steps = search(request);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const { evaluations, solved, puzzles } = step.value;
    if (evaluations % REPORTED_EVALUATIONS === 0 || solved === puzzles) report(step.value);
  }
}
