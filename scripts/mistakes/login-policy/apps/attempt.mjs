import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { checks, listen } from './team.mjs';

const app = Fastify();
await app.register(loginPolicy, { store: createMemoryStore() });
const attempts = {
  'promise-for-function': ({ body, ip }) =>
    app.loginPolicy.attempt({ username: body.username, terminal: 'web', clientIp: ip }, checks.false(body)),
  'no-address': ({ body, clientIp }) =>
    app.loginPolicy.attempt({ username: body.username, terminal: 'web', clientIp }, () => checks.false(body)),
  'no-name': ({ body, ip }) =>
    app.loginPolicy.attempt({ username: body.name, terminal: 'web', clientIp: ip }, () => checks.false(body)),
  'user-agent': ({ body, ip, headers }) =>
    app.loginPolicy.attempt({ username: body.username, terminal: headers['user-agent'], clientIp: ip }, () =>
      checks.false(body),
    ),
  'precheck-false': ({ body, ip }) => {
    const subject = { username: body.username, terminal: 'web', clientIp: ip };
    return app.loginPolicy.attempt(subject, () => checks.false(body), { precheck: async () => false });
  },
};
app.post('/login', async (request, reply) => {
  const user = await attempts[process.argv[2]](request);
  return user ? { user } : reply.code(401).send();
});
await listen(app);
