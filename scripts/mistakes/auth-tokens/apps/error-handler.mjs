import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
app.setErrorHandler(async (error, _request, reply) => reply.code(200).send({ success: false, message: error.message }));
await app.register(authTokens, options);
app.get('/salaries', admin, salaries);
await listen(app);
