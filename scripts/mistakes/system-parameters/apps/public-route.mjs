import systemParameters, { createMemorySource, publicParametersRoute } from '@sallyport/system-parameters';
import Fastify from 'fastify';
import { shop } from './team.mjs';

const app = Fastify();
await app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
await app.register(publicParametersRoute);
await app.listen({ port: Number(process.env.PORT) });
