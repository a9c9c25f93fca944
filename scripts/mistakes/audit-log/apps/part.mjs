import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
const earlier = process.argv[2] === 'earlier';
if (earlier) app.post('/payments', payment, pay);
await app.register(
  async (api) => {
    await api.register(auditLog, { ...options, scope: 'encapsulated' });
    api.get('/orders', { config: { audit: 'order' } }, async () => []);
  },
  { prefix: '/api' },
);
if (!earlier) app.post('/payments', payment, pay);
await listen(app);
