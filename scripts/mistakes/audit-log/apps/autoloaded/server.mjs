import { join } from 'node:path';
import autoload from '@fastify/autoload';
import Fastify from 'fastify';
import { listen } from '../options.mjs';

const app = Fastify();
await app.register(autoload, { dir: join(import.meta.dirname, process.argv[2]) });
await app.register(autoload, { dir: join(import.meta.dirname, 'routes') });
await listen(app);
