import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
await app.register(auditLog, options);
app.all('/all', payment, pay);
app.route({ method: ['PUT', 'PATCH', 'DELETE'], url: '/many', ...payment, handler: pay });
app.get('/read', payment, pay);
app.post('/versions', { ...payment, constraints: { version: '2.0.0' } }, pay);
app.register(
  async (api) => {
    api.post('/', payment, pay);
  },
  { prefix: '/slash/' },
);
await listen(app);
