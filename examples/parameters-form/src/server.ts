import { readFile } from 'node:fs/promises';
import systemParameters, { adminParameterRoutes, createMemorySource } from '@sallyport/system-parameters';
import Fastify from 'fastify';
import { formPage } from './form.js';
import { groups } from './parameters.js';

const app = Fastify({ logger: { level: 'warn' } });
await app.register(systemParameters, { tables: groups.map(({ table }) => table), source: createMemorySource() });
// In your application: behind your authentication, which says who changes a parameter.
await app.register(adminParameterRoutes, { changedBy: ({ headers }) => String(headers['x-user']) });

const script = await readFile(new URL('page.js', import.meta.url));
app.get('/page.js', (_, reply) => reply.type('text/javascript; charset=utf-8').send(script));
app.get('/', async (_, reply) => {
  const page = formPage(await app.systemParameters.list());
  return reply.type('text/html; charset=utf-8').header('content-security-policy', "default-src 'self'").send(page);
});

const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
console.log(`Open ${address}/?user=ada and ${address}/?user=bob`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close());
