import { type IdempotencyOptions, idempotency } from '@sallyport/idempotency';
import { createPostgresIdempotencyStore } from '@sallyport/idempotency/postgres';
import { database } from './database.js';

export default idempotency;
export const autoConfig: IdempotencyOptions = {
  store: createPostgresIdempotencyStore({ database }),
  principalOf: ({ user }) => user.sub,
};
