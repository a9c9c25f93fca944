import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, options, pay } from './options.mjs';

const app = Fastify();
await app.register(idempotency, { ...options, principalOf: () => null });
app.post('/payments', { config: { idempotency: true, access: 'public' } }, pay);
await listen(app);
