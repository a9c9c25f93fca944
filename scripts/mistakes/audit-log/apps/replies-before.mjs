import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, payment } from './options.mjs';

const app = Fastify();
await app.register(auditLog, options);
app.post('/payments', payment, (request, reply) => {
  reply.code(202).send({ accepted: true });
  setTimeout(() => request.audit.set({ target: 'too-late' }), 50); // nobody awaits it
});
await listen(app);
