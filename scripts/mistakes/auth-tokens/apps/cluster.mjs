import cluster from 'node:cluster';
import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

// A process for each core, each with its own memory store.
if (cluster.isPrimary) {
  const secret = crypto.getRandomValues(Buffer.alloc(32)).toString('base64');
  cluster.fork({ SECRET: secret });
  cluster.fork({ SECRET: secret });
} else {
  const app = Fastify();
  await app.register(authTokens, { ...options, signingKey: { algorithm: 'HS256', secret: process.env.SECRET } });
  app.post('/login', { config: { access: 'public' } }, () =>
    app.authTokens.issue({ subject: 'u-1', audience: 'admin' }),
  );
  app.get('/salaries', admin, salaries);
  await listen(app);
  process.stdout.write('UP\n');
}
