import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
await app.register(async (audit) => {
  await audit.register(auditLog, options);
});
app.post('/payments', payment, pay);
await listen(app);
