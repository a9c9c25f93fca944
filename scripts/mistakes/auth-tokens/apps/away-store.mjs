import authTokens from '@sallyport/auth-tokens';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { admin, listen, options, salaries } from './options.mjs';

const client = new Redis({ lazyConnect: true });
client.on('error', () => {});
client.disconnect(); // by a hook of another plugin
const app = Fastify();
await app.register(authTokens, { ...options, store: createRedisStore({ client, keyPrefix: 'shop:' }) });
app.post('/login', { config: { access: 'public' } }, () => app.authTokens.issue({ subject: 'u-1', audience: 'admin' }));
app.get('/salaries', admin, salaries);
await listen(app);
