import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
app.addHook('onRequest', async (request) => {
  request.principal = { subject: String(request.headers['x-user']), audience: 'admin', sessionId: 's-1' };
});
await app.register(authTokens, options);
app.get('/salaries', admin, salaries);
await listen(app);
