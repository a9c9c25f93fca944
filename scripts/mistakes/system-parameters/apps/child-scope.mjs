import systemParameters, { createMemorySource } from '@sallyport/system-parameters';
import Fastify from 'fastify';
import { shop } from './team.mjs';

const app = Fastify();
await app.register(async (parameters) => {
  await parameters.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
});
app.get('/', async () => app.systemParameters.read(shop));
await app.listen({ port: Number(process.env.PORT) });
