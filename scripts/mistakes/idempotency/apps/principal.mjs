import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const principals = {
  undefined: ({ user }) => user?.id,
  empty: ({ headers }) => headers['x-user-id'] ?? '',
  promise: async ({ headers }) => headers['x-user'],
  object: ({ headers }) => ({ id: headers['x-user'] }),
  number: ({ headers }) => headers['x-user'].length,
  null: () => null,
};
const app = Fastify();
await app.register(idempotency, { ...options, principalOf: principals[process.argv[2]] });
app.post('/payments', once, pay);
await listen(app);
