import auditLog, { createMemorySink } from '@sallyport/audit-log';
import Fastify from 'fastify';

const app = Fastify();
await app.register(auditLog, { sink: createMemorySink() });
app.get('/orders', { config: { audit: 5 } }, async () => []); // mistake
