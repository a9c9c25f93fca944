import { createPasswordHashing } from '@sallyport/password-hashing';
import Fastify from 'fastify';

const app = Fastify({ logger: { level: 'error' } });
const passwords = createPasswordHashing({ cost: 8, log: app.log });
const right = await passwords.hash('correct horse');

const users = {
  'short-column': { ada: { passwordHash: right.slice(0, 50) } },
  php: { ada: { passwordHash: '$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHRzYWx0$0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e' } },
  'old-version': { ada: { passwordHash: right.replace('$2b$', '$2x$') } },
  'too-expensive': { ada: { passwordHash: right.replace('$08$', '$24$') } },
  plaintext: { ada: { passwordHash: 'correct horse' } },
  'undefined-hash': { ada: {} },
  swapped: { ada: { passwordHash: right } },
  'no-schema': { ada: { passwordHash: right } },
}[process.argv[2]];

app.post('/login', async (request, reply) => {
  const { username, password } = request.body;
  const user = users[username];
  const isRight =
    process.argv[2] === 'swapped'
      ? await passwords.verify(user?.passwordHash, password)
      : await passwords.verify(
          password,
          process.argv[2] === 'undefined-hash' ? user?.passwordHash : (user?.passwordHash ?? null),
        );
  return isRight ? { username } : reply.code(401).send({ message: 'Wrong name or password' });
});
await app.listen({ port: Number(process.env.PORT) });
