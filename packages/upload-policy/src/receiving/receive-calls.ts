import { hasMethods } from '@sallyport/plugin-kit/options';
import type { FastifyRequest } from 'fastify';
import { UploadPolicySetupError } from '../errors.js';
import { ONE_UPLOAD } from './file-destination.js';

/** Tracks the calls of `receive`: one per request, and one at a time per destination. */
export interface ReceiveCalls {
  /**
   * Runs a call. Its rejection does not end the process if nobody handles it.
   *
   * @throws UploadPolicySetupError for an invalid call. The destination is then not touched
   */
  run<Result>(request: FastifyRequest, destination: object, work: () => Promise<Result>): Promise<Result>;
  /** Whether `receive` was called for the request. */
  has(request: FastifyRequest): boolean;
  /**
   * The first call for the request that has not settled, or whose result is not handled, because its `await` is
   * missing.
   */
  forgotten(request: FastifyRequest): Promise<unknown> | undefined;
}

/** A promise that records whether it is awaited. `await`, `catch` and `Promise.all` all call `then` of a subclass. */
class CallPromise<Result> extends Promise<Result> {
  isHandled = false;
  isSettled = false;

  /** `then` and `catch` return an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Runs the work, and keeps its rejection from ending the process. */
  static running<Result>(work: () => Promise<Result>): CallPromise<Result> {
    const call = new CallPromise<Result>((resolve) => resolve(work()));
    const settle = () => {
      call.isSettled = true;
    };
    Promise.prototype.then.call(call, settle, settle);
    return call;
  }

  // biome-ignore lint/suspicious/noThenProperty: the override of an ordinary promise's method
  override then<Kept = Result, Caught = never>(
    onFulfilled?: ((value: Result) => Kept | PromiseLike<Kept>) | null,
    onRejected?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    this.isHandled = true;
    return super.then(onFulfilled, onRejected);
  }
}

export function trackReceiveCalls(): ReceiveCalls {
  const calls = new WeakMap<FastifyRequest, CallPromise<unknown>[]>();
  const taken = new WeakSet<object>();

  function claim(request: FastifyRequest, destination: object): void {
    if (!hasMethods(destination, ['write', 'commit', 'discard'])) {
      refuse(
        'receive takes a destination as its second argument: createFileDestination({ folder, keep }), or an object ' +
          'of your own with the methods write, commit and discard',
      );
    }
    if (calls.has(request)) refuse('receive was called before for this request, which has one file: call it once');
    if (taken.has(destination)) refuse(ONE_UPLOAD);
    taken.add(destination);
  }

  return {
    run(request, destination, work) {
      const call = CallPromise.running(async () => {
        claim(request, destination);
        try {
          return await work();
        } finally {
          taken.delete(destination);
        }
      });
      calls.set(request, [...(calls.get(request) ?? []), call]);
      return call;
    },
    has: (request) => calls.has(request),
    forgotten: (request) => calls.get(request)?.find(({ isHandled, isSettled }) => !isHandled || !isSettled),
  };
}

function refuse(fault: string): never {
  throw new UploadPolicySetupError('upload-policy', [fault]);
}
