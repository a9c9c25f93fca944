import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
await app.register(auditLog, options);
app.addHook('onRoute', (route) => {
  route.config = { ...route.config, audit: false };
});
app.post('/payments', payment, pay);
await listen(app);
