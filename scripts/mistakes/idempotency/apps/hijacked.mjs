import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options } from './options.mjs';

const app = Fastify();
await app.register(idempotency, options);
app.post('/payments', once, async (_request, reply) => {
  process.stdout.write('PAID\n');
  reply.hijack();
  reply.raw.writeHead(201).end('{}');
});
await listen(app);
