import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

// As NestJS does it: controllers are mapped, then plugins are registered.
const app = Fastify();
app.get('/salaries', admin, salaries);
await app.register(authTokens, options);
await listen(app);
