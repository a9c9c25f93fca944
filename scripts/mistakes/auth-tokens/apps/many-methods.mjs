import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
await app.register(authTokens, options);
app.all('/all', admin, salaries);
app.route({ method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS'], url: '/many', ...admin, handler: salaries });
app.route({ method: 'get', url: '/lower', ...admin, handler: salaries });
app.get('/versions', { ...admin, constraints: { version: '2.0.0' } }, salaries);
app.get('/hosts', { ...admin, constraints: { host: 'admin.example' } }, salaries);
app.get('/hosts', { config: { access: 'public' } }, async () => 'hello');
app.register(
  async (api) => {
    api.get('/', admin, salaries);
    api.get('/*', admin, salaries);
  },
  { prefix: '/slash/' },
);
await listen(app);
