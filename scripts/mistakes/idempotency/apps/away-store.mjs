import idempotency from '@sallyport/idempotency';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { listen, once, options, pay } from './options.mjs';

const client = new Redis({ lazyConnect: true });
client.on('error', () => {});
client.disconnect();
const app = Fastify();
await app.register(idempotency, { ...options, store: createRedisStore({ client, keyPrefix: 'shop:' }) });
app.post('/payments', once, pay);
await listen(app);
