import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay } from './options.mjs';

const decisions = {
  throws: () => {
    throw new Error('no table of routes');
  },
  promise: async () => 'payment',
  garbage: () => 'Yes!',
  true: () => true,
};
const app = Fastify();
await app.register(auditLog, { ...options, decide: decisions[process.argv[2]] });
app.post('/payments', pay);
await listen(app);
