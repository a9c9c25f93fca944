import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay } from './options.mjs';

const configs = {
  true: { audit: true },
  number: { audit: 5 },
  null: { audit: null },
  'upper-case': { audit: 'Payment' },
  misspelt: { audit: { resouce: 'payment' } },
  'misspelt-value': { audit: { resource: 'payment', required: 'before' } },
  both: { audit: { resource: 'payment', action: 'payment.create' } },
  undecided: {},
  'after-reply': { audit: { resource: 'payment', required: 'after-reply' } },
};
const app = Fastify();
await app.register(auditLog, options);
app.post('/payments', { config: configs[process.argv[2]] }, pay);
await listen(app);
