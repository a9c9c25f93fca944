import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
app.register(auditLog, options);
app.register(async (api) => {
  api.post('/payments', payment, pay);
});
await listen(app);
