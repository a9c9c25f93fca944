import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
app.decorateRequest('principal', null);
app.addHook('onRequest', async (request) => {
  request.principal = { id: request.headers['x-user'], roles: [] };
});
await app.register(idempotency, { store: options.store });
app.post('/payments', once, pay);
await listen(app);
