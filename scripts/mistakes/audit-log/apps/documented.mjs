import fastifyStatic from '@fastify/static';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const decide = ({ url }) => (url.startsWith('/docs') || url.startsWith('/assets/') ? false : undefined);
const app = Fastify();
await app.register(auditLog, process.argv[3] === 'decide' ? { ...options, decide } : options);
if (process.argv[2] === 'docs') {
  await app.register(swagger);
  await app.register(swaggerUi, { routePrefix: '/docs' });
} else await app.register(fastifyStatic, { root: import.meta.dirname, prefix: '/assets/' });
app.post('/payments', payment, pay);
await listen(app);
