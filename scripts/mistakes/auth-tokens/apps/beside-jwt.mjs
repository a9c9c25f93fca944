import jwt from '@fastify/jwt';
import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
if (process.argv[2] === 'before') await app.register(jwt, { secret: 'the secret of the old tokens' });
await app.register(authTokens, options);
if (process.argv[2] === 'after') await app.register(jwt, { secret: 'the secret of the old tokens' });
app.post('/old-login', { config: { access: 'public' } }, async () => ({
  token: app.jwt.sign({ sub: 'u-1', aud: 'admin' }),
}));
app.get('/salaries', admin, salaries);
await listen(app);
