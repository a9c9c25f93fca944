import systemParameters, { adminParameterRoutes, createMemorySource } from '@sallyport/system-parameters';
import Fastify from 'fastify';
import { shop } from './team.mjs';

const changedBy = { undefined: ({ user }) => user?.id, promise: async () => 'ada', object: () => ({ id: 7 }) };
const app = Fastify();
await app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
await app.register(adminParameterRoutes, { changedBy: changedBy[process.argv[2]] });
await app.listen({ port: Number(process.env.PORT) });
