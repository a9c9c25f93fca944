import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
await app.register(idempotency, options);
app.get('/payments', once, pay);
await listen(app);
