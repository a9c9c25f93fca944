import auditLog from '@sallyport/audit-log';
import { createFileSink } from '@sallyport/audit-log/file';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const wrong = {
  'sink-promise': { sink: createFileSink({ path: 'audit.ndjson' }) },
  'sink-array': { sink: [] },
  'sink-missing': { sink: undefined },
  misspelt: { requierd: 'before-reply' },
  'actor-text': { actorOf: 'user' },
};
const app = Fastify();
await app.register(auditLog, { ...options, ...wrong[process.argv[2]] });
app.post('/payments', payment, pay);
await listen(app);
