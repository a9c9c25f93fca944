import auditLog from '@sallyport/audit-log';
import { createFileSink } from '@sallyport/audit-log/file';
import Fastify from 'fastify';

const app = Fastify();
await app.register(auditLog, {
  sink: createFileSink({ path: 'audit.ndjson' }), // mistake
});
