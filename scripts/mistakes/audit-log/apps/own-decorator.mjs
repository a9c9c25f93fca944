import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
app.decorateRequest('audit', null);
await app.register(auditLog, options);
app.post('/payments', payment, pay);
await listen(app);
