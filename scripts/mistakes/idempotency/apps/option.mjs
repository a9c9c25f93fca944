import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { listen, once, options, pay } from './options.mjs';

const wrong = {
  map: { store: new Map() },
  redis: { store: new Redis({ lazyConnect: true }) },
  promise: { store: Promise.resolve(options.store) },
  milliseconds: { leaseSeconds: 30_000 },
  ttl: { ttl: 3600 },
  misspelt: { retensionSeconds: 3600 },
};
const app = Fastify();
await app.register(idempotency, { ...options, ...wrong[process.argv[2]] });
app.post('/payments', once, pay);
await listen(app);
