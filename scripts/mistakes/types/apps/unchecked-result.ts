import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const app = Fastify();
await app.register(loginPolicy, { store: createMemoryStore() });
app.post('/login', async ({ ip }) => {
  const user = await app.loginPolicy.attempt({ username: 'ada', terminal: 'web', clientIp: ip }, async () => ({
    id: 7,
  }));
  return user.id; // mistake
});
