import jwt from '@fastify/jwt';
import idempotency from '@sallyport/idempotency';
import Fastify from 'fastify';
import { listen, once, options, pay } from './options.mjs';

const app = Fastify();
await app.register(idempotency, { ...options, principalOf: ({ user }) => user.sub });
await app.register(jwt, { secret: 'the secret of the team' });
app.addHook('onRequest', async (request) => {
  request.headers.authorization = `Bearer ${app.jwt.sign({ sub: request.headers['x-user'] })}`;
  await request.jwtVerify();
});
app.post('/payments', once, pay);
await listen(app);
