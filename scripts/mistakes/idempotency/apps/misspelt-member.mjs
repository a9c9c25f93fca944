import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, options, pay } from './options.mjs';

const app = Fastify();
await app.register(idempotency, options);
app.post('/payments', { config: { idempotent: true } }, pay);
await listen(app);
