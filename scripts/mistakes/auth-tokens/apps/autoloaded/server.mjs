import { join } from 'node:path';
import autoload from '@fastify/autoload';
import Fastify from 'fastify';

const app = Fastify();
await app.register(autoload, { dir: join(import.meta.dirname, process.argv[2]) });
await app.register(autoload, { dir: join(import.meta.dirname, 'routes') });
await app.listen({ port: Number(process.env.PORT) });
