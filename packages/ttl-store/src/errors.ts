import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { refusals } from './refusals.js';

/**
 * A verb could not be carried out: the store is unreachable, full, or slower than its limit. Status 503. `cause` says
 * why, without the key or the value.
 */
export const StoreUnavailableError = refusalError(refusals, 'STORE_UNAVAILABLE');
export type StoreUnavailableError = InstanceType<typeof StoreUnavailableError>;
