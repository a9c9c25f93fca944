import fastifyStatic from '@fastify/static';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const decide = ({ url }) => {
  if (url.startsWith('/assets/')) return 'public';
  return url.startsWith('/docs') ? 'admin' : undefined;
};
const app = Fastify();
await app.register(authTokens, process.argv[3] === 'decide' ? { ...options, decide } : options);
if (process.argv[2] === 'docs') {
  await app.register(swagger);
  await app.register(swaggerUi, { routePrefix: '/docs' });
} else await app.register(fastifyStatic, { root: import.meta.dirname, prefix: '/assets/' });
app.get('/salaries', admin, salaries);
await listen(app);
