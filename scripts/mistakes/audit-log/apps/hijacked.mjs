import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, payment } from './options.mjs';

const app = Fastify();
await app.register(auditLog, options);
app.post('/payments', payment, async (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(201).end('paid');
});
await listen(app);
