import createError from '@fastify/error';

/**
 * A verb could not be carried out: the store is unreachable, full, or slower than its limit. Status 503. `cause` says
 * why, without the key or the value.
 */
export const StoreUnavailableError = createError('STORE_UNAVAILABLE', 'The store is unavailable', 503);
export type StoreUnavailableError = InstanceType<typeof StoreUnavailableError>;
