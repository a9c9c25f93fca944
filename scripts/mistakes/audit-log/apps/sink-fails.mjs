import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, payment } from './options.mjs';

const sink = {
  async append() {
    throw new Error('the disk is full');
  },
};
const app = Fastify();
await app.register(auditLog, { ...options, sink });
app.post('/payments', payment, async () => {
  process.stdout.write('PAID\n');
  return { paid: true };
});
await listen(app);
