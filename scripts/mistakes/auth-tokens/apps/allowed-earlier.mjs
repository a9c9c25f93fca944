import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

// The message said: give allowEarlierRoutes: true.
const app = Fastify();
app.get('/salaries', admin, salaries);
app.get('/undecided', salaries);
await app.register(authTokens, { ...options, allowEarlierRoutes: true });
await listen(app);
