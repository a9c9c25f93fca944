import { type BoundedCall, createBoundedCall } from '@sallyport/deadline';
import { StoreUnavailableError } from './errors.js';
import { describeFailure } from './failure-cause.js';

/** Calls to the service behind a store. They reject with `StoreUnavailableError` when they fail or take too long. */
export function createStoreCall(timeoutMillis: number): BoundedCall {
  return createBoundedCall({
    timeoutMillis,
    toError: (reason) => new StoreUnavailableError({ cause: describeFailure(reason) }),
  });
}
