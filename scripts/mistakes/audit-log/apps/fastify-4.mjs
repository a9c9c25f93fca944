import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify-4';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
await app.register(auditLog, options);
app.post('/payments', payment, pay);
await listen(app);
