import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
await app.register(idempotency, options);
app.route({ method: ['PUT', 'PATCH', 'DELETE'], url: '/many', ...once, handler: pay });
app.post('/versions', { ...once, constraints: { version: '2.0.0' } }, pay);
app.register(async (api) => void api.post('/', once, pay), { prefix: '/slash/' });
await listen(app);
