import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify({ exposeHeadRoutes: false, ignoreTrailingSlash: true, caseSensitive: false });
await app.register(authTokens, options);
app.get('/salaries', admin, salaries);
app.head('/salaries', admin, salaries);
await listen(app);
