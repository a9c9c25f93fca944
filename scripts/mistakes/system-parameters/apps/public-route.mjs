import systemParameters, { createMemorySource, publicParametersRoute } from '@sallyport/system-parameters';
import Fastify from 'fastify';

const shop = {
  isOpen: {
    key: 'shop.open',
    type: 'BOOLEAN',
    default: true,
    isPublic: false,
    description: 'Whether orders are taken',
  },
};
const app = Fastify();
await app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
await app.register(publicParametersRoute);
await app.listen({ port: Number(process.env.PORT) });
