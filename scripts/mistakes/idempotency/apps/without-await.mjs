import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
app.register(idempotency, options);
app.post('/payments', once, pay);
await listen(app);
