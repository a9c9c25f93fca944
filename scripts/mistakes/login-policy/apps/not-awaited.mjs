import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { checks, listen } from './team.mjs';

const app = Fastify();
await app.register(loginPolicy, { store: createMemoryStore() });
app.post('/login', (request, reply) => {
  const subject = { username: request.body.username, terminal: 'web', clientIp: request.ip };
  app.loginPolicy
    .attempt(subject, () => checks.false(request.body))
    .then(
      (user) => reply.code(user ? 200 : 401).send(),
      (error) => reply.send(error),
    );
});
await listen(app);
