import systemParameters, { createMemorySource } from '@sallyport/system-parameters';
import Fastify from 'fastify';
import { shop } from './team.mjs';

const wrong = {
  type: { isOpen: { ...shop.isOpen, type: 'boolean' } },
  default: { isOpen: { ...shop.isOpen, default: 'true' } },
  misspelt: { isOpen: { ...shop.isOpen, ispublic: true } },
};
const app = Fastify();
await app.register(systemParameters, {
  tables: [{ definitions: wrong[process.argv[2]] }],
  source: createMemorySource(),
});
await app.listen({ port: Number(process.env.PORT) });
