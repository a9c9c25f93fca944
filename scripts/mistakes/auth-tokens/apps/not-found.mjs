import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
app.setNotFoundHandler(async () => ({ index: 'of the single-page application' }));
await app.register(authTokens, options);
app.get('/salaries', admin, salaries);
await listen(app);
