import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
const publish = () =>
  app.addHook('onRoute', (route) => {
    route.config = process.argv[3] === 'lost' ? { url: route.url } : { ...route.config, access: 'public' };
  });
if (process.argv[2] === 'before') publish();
await app.register(authTokens, options);
if (process.argv[2] === 'after') publish();
app.get('/salaries', admin, salaries);
await listen(app);
