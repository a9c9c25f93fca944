import systemParameters, { adminParameterRoutes, createMemorySource } from '@sallyport/system-parameters';
import Fastify from 'fastify';
import { shop } from './team.mjs';

const app = Fastify();
await app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
await app.register(adminParameterRoutes, process.argv[2] === 'by' ? { changedBy: () => 'somebody' } : {});
await app.listen({ port: Number(process.env.PORT) });
