import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
await app.register(idempotency, options);
app.addHook('onRoute', (route) => {
  route.config = { url: route.url };
});
app.post('/payments', once, pay);
await listen(app);
