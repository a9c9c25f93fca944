import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options } from './options.mjs';

const app = Fastify();
await app.register(idempotency, options);
app.post('/payments', once, (_request, reply) => {
  setTimeout(() => process.stdout.write('PAID\n'), 20); // nobody awaits it
  reply.code(202).send({ accepted: true });
});
await listen(app);
