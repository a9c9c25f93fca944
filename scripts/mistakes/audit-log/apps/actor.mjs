import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const actors = {
  undefined: ({ user }) => user?.id,
  promise: async () => 'ada',
  object: () => ({ id: 7 }),
  throws: ({ user }) => user.id,
};
const app = Fastify();
await app.register(auditLog, { ...options, actorOf: actors[process.argv[2]] });
app.post('/payments', payment, pay);
await listen(app);
