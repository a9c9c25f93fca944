import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options } from './options.mjs';

const app = Fastify();
app.setErrorHandler(async (error, _request, reply) => reply.code(200).send({ success: false, message: error.message }));
await app.register(idempotency, options);
app.post('/payments', once, async () => {
  process.stdout.write('PAID\n');
  throw new Error('the mail could not be sent');
});
await listen(app);
