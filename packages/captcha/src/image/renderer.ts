import { availableParallelism } from 'node:os';
import { readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { workerFile } from '@sallyport/plugin-kit/workers';
import { Piscina } from 'piscina';
import { CaptchaBusyError, CaptchaSetupError } from '../errors.js';
import type { CaptchaRenderer } from '../renderer.js';

/** Options of {@link createImageRenderer}. */
export interface ImageRendererOptions {
  /**
   * The number of threads that draw, 1 to 16. Default: one less than the number of cores, at most 2. A thread draws
   * some hundreds of pictures a second.
   */
  readonly threads?: number;
  /**
   * The number of pictures that may wait for a thread, 0 to 10 000. Default 200: the last one waits less than a second.
   * Further ones are refused with 503.
   */
  readonly maxWaiting?: number;
}

/** A renderer for the option `renderer` of `createCaptchas`. Close it when the server closes. */
export interface ImageRenderer extends CaptchaRenderer {
  /**
   * Draws 1 to 12 characters of {@link IMAGE_ALPHABET} as a PNG.
   *
   * @throws {CaptchaBusyError} if too many pictures are waiting, or the renderer is closed: status 503
   * @throws RangeError if a character has no picture, or there are too many: a mistake of the caller
   */
  (text: string): Promise<{ readonly image: string }>;
  /** Ends the threads. Waiting pictures are refused. */
  close(): Promise<void>;
}

/** The defaults of {@link ImageRendererOptions}. */
export const IMAGE_RENDERER_DEFAULTS = {
  threads: Math.min(2, Math.max(1, availableParallelism() - 1)),
  maxWaiting: 200,
} as const satisfies Required<ImageRendererOptions>;

/** More threads would starve the rest of a service. Sixteen draw thousands of pictures a second. */
const MAX_THREADS = 16;

/** With more, the last one would wait for a minute, which is too late for its user. */
const MAX_WAITING = 10_000;

const rules = {
  threads: wholeNumber({ min: 1, max: MAX_THREADS, default: IMAGE_RENDERER_DEFAULTS.threads }),
  maxWaiting: wholeNumber({ min: 0, max: MAX_WAITING, default: IMAGE_RENDERER_DEFAULTS.maxWaiting }),
};

/**
 * The kind `image`: pictures of letters, drawn in threads, so that they do not block the event loop.
 *
 * @example
 * ```ts
 * const renderer = createImageRenderer(); // draws in threads
 * const captchas = createCaptchas({ store: createMemoryStore(), renderer });
 *
 * const { kind, image } = await captchas.issue({ kind: 'image', purpose: 'login' });
 * console.log(kind, image?.slice(0, 22));
 * await renderer.close(); // when the server closes
 * ```
 */
export function createImageRenderer(given: ImageRendererOptions = {}): ImageRenderer {
  const owner = { subject: 'createImageRenderer', SetupError: CaptchaSetupError };
  const { threads, maxWaiting } = readOptions(owner, given, rules);
  const pool = new Piscina<string, Uint8Array>({
    filename: workerFile('draw-worker.js', import.meta.url, { ...owner, packageName: '@sallyport/captcha' }).href,
    minThreads: 1,
    maxThreads: threads,
    recordTiming: false,
    // A thread gets neither the environment, which may hold secrets, nor the loaders of this process.
    env: {},
    execArgv: [],
  });
  // A thread that ends by itself is replaced, and its picture is refused. Without a listener, its error would end the
  // process.
  pool.on('error', () => {});
  let unfinished = 0;
  let isClosed = false;

  async function render(text: string): Promise<{ readonly image: string }> {
    if (isClosed || unfinished >= threads + maxWaiting) throw new CaptchaBusyError();
    unfinished += 1;
    try {
      const png = await pool.run(text);
      return { image: `data:image/png;base64,${Buffer.from(png).toString('base64')}` };
    } catch (error) {
      if (isClosed) throw new CaptchaBusyError();
      throw error;
    } finally {
      unfinished -= 1;
    }
  }

  return Object.assign(render, {
    async close() {
      isClosed = true;
      await pool.destroy();
    },
  });
}
