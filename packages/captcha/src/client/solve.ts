import { argumentCheck, callback, nullable, objectWith, optional } from '@sallyport/plugin-kit/options';
import type { ProofOfWorkChallenge } from '../puzzle.js';
import { CaptchaSolveError } from './errors.js';
import { type Search, type SolveProgress, search } from './search.js';
import { type SolveWorker, startWorker, type WorkerReply } from './solve-worker.js';

export type { SolveProgress } from './search.js';

/** The `data` of the captcha endpoint's answer. Other members are ignored. */
export interface CaptchaToSolve {
  readonly key?: string;
  readonly challenge?: ProofOfWorkChallenge;
}

/** Options of {@link solve}. */
export interface SolveOptions {
  /** Ends the search. `solve` rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Called several times a second. `solved / puzzles` fits a `<progress>`. */
  readonly onProgress?: (progress: SolveProgress) => void;
  /**
   * Makes the worker, for a page whose bundler doesn't build it, or whose policy requires a trusted script URL:
   * `() => new Worker('/captcha-worker.js', { type: 'module' })`, a bundle of `@sallyport/captcha/client/worker`. Null:
   * no worker. The search then runs in slices of some tens of milliseconds. Default: the worker of this package.
   */
  readonly worker?: (() => SolveWorker) | null;
}

/** Upper bounds of a challenge. A larger one would occupy the page for minutes. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
const MAX_PUZZLES = 16;

const checkOptions = argumentCheck(
  'solve',
  {
    signal: optional(
      objectWith({
        methods: ['throwIfAborted', 'addEventListener'],
        meaning: 'an AbortSignal, such as controller.signal',
      }),
    ),
    onProgress: optional(callback({ that: 'takes { solved, puzzles, evaluations }' })),
    worker: nullable(callback({ that: 'makes a worker' })),
  },
  { argument: 'options' },
);

/**
 * Makes the proof of work that a captcha asks for. In a page it searches in a worker, elsewhere in slices, between
 * which other work runs.
 *
 * @returns the `proof`, to be sent with the captcha's `key`
 *
 * @example
 * ```ts
 * const { data } = (await (await fetch(`${url}/captcha`)).json()) as { data: Parameters<typeof solve>[0] };
 * const proof = await solve(data, { onProgress: ({ solved, puzzles }) => console.log(`${solved} of ${puzzles}`) });
 * const body = JSON.stringify({ name: 'Ada', key: data.key, proof });
 * const headers = { 'content-type': 'application/json' };
 * console.log((await fetch(`${url}/accounts`, { method: 'POST', headers, body })).status);
 * ```
 *
 * @throws CaptchaSolveError if the captcha has no proof of work; the reason of `signal` if that ended the search
 * @throws TypeError for a captcha that is no object, and for a misspelt or bad option
 */
export async function solve(captcha: CaptchaToSolve, options: SolveOptions = {}): Promise<string> {
  if (typeof captcha !== 'object' || captcha === null) {
    throw new TypeError('solve: captcha must be what the endpoint answered, an object with key and challenge');
  }
  checkOptions(options);
  const { signal, onProgress = () => {}, worker = startWorker } = options;
  signal?.throwIfAborted();
  const wanted = readCaptcha(captcha);
  const running = worker === null ? null : worker();
  const proof = running === null ? null : await solveInWorker(running, wanted, onProgress, signal);
  return proof ?? solveInSlices(wanted, onProgress, signal);
}

/** Only the members that the worker needs are sent. Others may not be cloneable. */
function readCaptcha({ key, challenge }: CaptchaToSolve): Search {
  if (typeof key !== 'string' || typeof challenge !== 'object' || challenge === null) {
    throw new CaptchaSolveError('This captcha has no proof of work');
  }
  const { algorithm, purpose, n, r, p, puzzles, below } = challenge;
  const numbers = [n, r, p, puzzles, below];
  const isKnown =
    algorithm === 'scrypt' &&
    typeof purpose === 'string' &&
    numbers.every((each) => Number.isSafeInteger(each) && each > 0) &&
    puzzles <= MAX_PUZZLES &&
    128 * n * r * p <= MAX_MEMORY_BYTES;
  if (!isKnown)
    throw new CaptchaSolveError('This client does not know this kind of proof of work, or refuses its cost');
  return { key, challenge: { algorithm, purpose, n, r, p, puzzles, below } };
}

/** Null if the worker couldn't be loaded, because its file is missing or the page's policy forbids it. */
function solveInWorker(
  worker: SolveWorker,
  wanted: Search,
  onProgress: (progress: SolveProgress) => void,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const abort = () => settle(() => reject(signal?.reason));
  let reject: (reason: unknown) => void = () => {};
  const settle = (how: () => void) => {
    signal?.removeEventListener('abort', abort);
    worker.terminate();
    how();
  };
  return new Promise((resolve, rejectPromise) => {
    reject = rejectPromise;
    signal?.addEventListener('abort', abort);
    worker.onerror = () => settle(() => resolve(null));
    worker.onmessage = ({ data: reply }: { readonly data: WorkerReply }) => {
      if ('progress' in reply) onProgress(reply.progress);
      else if ('proof' in reply) settle(() => resolve(reply.proof));
      else settle(() => reject(new CaptchaSolveError(reply.fault)));
    };
    worker.postMessage(wanted);
  });
}

async function solveInSlices(
  wanted: Search,
  onProgress: (progress: SolveProgress) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  const steps = search(wanted);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    onProgress(step.value);
    // A timer is used because a continuation of `scheduler.yield` runs before every other task of the page.
    await new Promise((resume) => setTimeout(resume, 0));
    signal?.throwIfAborted();
  }
}
