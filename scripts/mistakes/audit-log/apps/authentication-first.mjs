import jwt from '@fastify/jwt';
import auditLog from '@sallyport/audit-log';
import Fastify from 'fastify';
import { listen, options, pay, payment } from './options.mjs';

const app = Fastify();
await app.register(jwt, { secret: 'the secret of the team' });
const authenticate = async (request) => {
  await request.jwtVerify();
};
if (process.argv[2] === 'before') app.addHook('onRequest', authenticate);
await app.register(auditLog, options);
if (process.argv[2] === 'after') app.addHook('onRequest', authenticate);
app.post('/payments', payment, pay);
await listen(app);
