import multipart from '@fastify/multipart';
import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
await app.register(multipart);
await app.register(idempotency, options);
app.post('/payments', once, async (request, reply) => {
  const file = await request.file();
  await file.toBuffer();
  return pay(request, reply);
});
await listen(app);
