import { join } from 'node:path';
import autoload from '@fastify/autoload';
import Fastify from 'fastify';

const app = Fastify({ logger: true });
await app.register(autoload, { dir: join(import.meta.dirname, 'plugins') });
await app.register(autoload, { dir: join(import.meta.dirname, 'routes') });
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
