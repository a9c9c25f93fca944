import authTokens from '@sallyport/auth-tokens';
import { createMemoryStore } from '@sallyport/ttl-store';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { admin, listen, options, salaries } from './options.mjs';

const client = new Redis({ lazyConnect: true });
client.on('error', () => {});
const store = createRedisStore({ client, keyPrefix: 'shop:' });
const ends = { same: store, memory: createMemoryStore(), misspelt: { writes() {} } }[process.argv[2]];
const app = Fastify();
await app.register(authTokens, { ...options, store, ends });
app.get('/salaries', admin, salaries);
await listen(app);
