import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
const earlier = process.argv[2] === 'earlier';
if (earlier) app.post('/payments', once, pay);
await app.register(
  async (api) => {
    await api.register(idempotency, { ...options, scope: 'encapsulated' });
    api.post('/orders', once, pay);
  },
  { prefix: '/api' },
);
if (!earlier) app.post('/payments', once, pay);
await listen(app);
