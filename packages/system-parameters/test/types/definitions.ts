// ADP-7: definitions need no `as const`, and a misspelt member does not compile.
import systemParameters, {
  createMemorySource,
  createSystemParameters,
  defineParameters,
  defineParameterTable,
} from '@sallyport/system-parameters';
import Fastify from 'fastify';

const shop = defineParameters({
  itemsPerPage: {
    key: 'shop.items-per-page',
    type: 'INTEGER',
    default: 20,
    minimum: 1,
    maximum: 100,
    isPublic: true,
    description: 'Items on a page',
  },
  greeting: { key: 'shop.greeting', type: 'STRING', default: '', maxLength: 80, isPublic: true, description: 'Text' },
  isOpen: { key: 'shop.open', type: 'BOOLEAN', default: true, isPublic: false, description: 'Whether it is open' },
});

const app = Fastify();
await app.register(systemParameters, { tables: [{ definitions: shop }], source: createMemorySource() });
const values = await app.systemParameters.read(shop);
export const typed: { itemsPerPage: number; greeting: string; isOpen: boolean } = values;
// @ts-expect-error
values.itemsPrePage;
// @ts-expect-error
export const wrong: string = values.itemsPerPage;

createSystemParameters({
  tables: [
    defineParameterTable({
      definitions: { ...shop, isOpen: { ...shop.isOpen, default: false } },
      rules: ({ itemsPerPage, isOpen }) => (isOpen && itemsPerPage > 50 ? ['shop.items-per-page is above 50'] : []),
    }),
  ],
  source: createMemorySource(),
});

const common = { key: 'shop.open', isPublic: false, description: 'Whether it is open' };
defineParameters({ isOpen: { ...common, type: 'BOOLEAN', default: true } });
// @ts-expect-error
defineParameters({ isOpen: { ...common, type: 'BOOL', default: true } });
// @ts-expect-error
defineParameters({ isOpen: { ...common, type: 'BOOLEAN', default: 'true' } });
// @ts-expect-error
defineParameters({ isOpen: { ...common, type: 'BOOLEAN', default: true, falback: true } });
// @ts-expect-error
defineParameters({ isOpen: { ...common, type: 'BOOLEAN', default: true, minimum: 1 } });
// @ts-expect-error
defineParameters({ isOpen: { ...common, type: 'BOOLEAN' } });
