import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
app.register(authTokens, options);
app.register(async (api) => {
  api.get('/salaries', admin, salaries);
});
const { statusCode } = await app.inject('/salaries'); // before ready() or listen()
if (statusCode !== 401) throw new Error(`answered ${statusCode}`);
await listen(app);
