import systemParameters, { createMemorySource } from '@sallyport/system-parameters';
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
app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
app.get('/', async () => app.systemParameters.read(shop));
await app.listen({ port: Number(process.env.PORT) });
