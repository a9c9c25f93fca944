import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
await app.register(idempotency, options);
app.addHook('onRoute', (route) => {
  const { handler } = route;
  route.handler = async function timed(request, reply) {
    return handler.call(this, request, reply);
  };
});
app.post('/payments', once, pay);
await listen(app);
