import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, payment } from './options.mjs';

const app = Fastify();
app.setErrorHandler(async (error, _request, reply) => reply.code(200).send({ success: false, message: error.message }));
await app.register(auditLog, options);
app.post('/payments', payment, async () => {
  throw new Error('The card was refused');
});
await listen(app);
