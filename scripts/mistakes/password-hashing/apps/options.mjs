import { createPasswordHashing } from '@sallyport/password-hashing';
import Fastify from 'fastify';

const app = Fastify();
const passwords = createPasswordHashing(
  {
    rounds: { rounds: 12 },
    text: { cost: process.env.BCRYPT_COST ?? '12' },
    weak: { cost: 3 },
    ceiling: { cost: 12, maxCost: 10 },
    seconds: { maxTaskSeconds: 2 },
    log: { log: console.log },
  }[process.argv[2]],
);
app.post('/login', async ({ body }) => passwords.verify(body.password, null));
await app.listen({ port: Number(process.env.PORT) });
