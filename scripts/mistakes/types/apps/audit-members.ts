import auditLog, { createMemorySink } from '@sallyport/audit-log';
import Fastify from 'fastify';

const app = Fastify();
await app.register(auditLog, { sink: createMemorySink() });
app.get('/orders', { config: { audit: { resource: 'order', parameter: false } } }, async () => []); // mistake
