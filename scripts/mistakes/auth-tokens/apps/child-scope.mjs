import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
await app.register(async (auth) => {
  await auth.register(authTokens, options);
  auth.post('/login', { config: { access: 'public' } }, () =>
    app.authTokens.issue({ subject: 'u-1', audience: 'admin' }),
  );
});
app.get('/salaries', admin, salaries);
await listen(app);
