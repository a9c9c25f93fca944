import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, options, pay } from './options.mjs';

const configs = {
  yes: 'yes',
  number: 1,
  null: null,
  misspelt: { require: false },
  value: { required: 'no' },
  transactional: { transactional: true },
};
const app = Fastify();
await app.register(idempotency, options);
app.post('/payments', { config: { idempotency: configs[process.argv[2]] } }, pay);
await listen(app);
