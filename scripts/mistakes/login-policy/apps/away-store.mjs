import loginPolicy from '@sallyport/login-policy';
import { createRedisStore } from '@sallyport/ttl-store/redis';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { addLogin, checks, listen } from './team.mjs';

const client = new Redis({ lazyConnect: true });
client.on('error', () => {});
client.disconnect();
const app = Fastify();
await app.register(loginPolicy, { store: createRedisStore({ client, keyPrefix: 'shop:' }) });
addLogin(app, checks.false);
await listen(app);
