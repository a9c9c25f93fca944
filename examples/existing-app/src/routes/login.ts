import { scryptSync, timingSafeEqual } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';

// One account in place of a table: ada, correct horse.
const hashOf = (password: string) => scryptSync(password, 'a salt for each account', 32);
const hash = hashOf('correct horse');

async function checkPassword(username: string, password: string) {
  const isRight = timingSafeEqual(hashOf(password), hash) && username === 'ada';
  return isRight ? { sub: username } : null;
}

const text = { type: 'string', minLength: 1, maxLength: 72 };
const properties = { username: text, password: text };
const login = {
  config: { audit: { action: 'session.begin' } },
  schema: { body: { type: 'object', required: ['username', 'password'], properties } },
};

export default (async (app) => {
  app.post<{ Body: { username: string; password: string } }>('/login', login, async (request, reply) => {
    const { username, password } = request.body;
    const subject = { username, terminal: 'web', clientIp: request.ip };
    const user = await app.loginPolicy.attempt(subject, () => checkPassword(username, password));
    if (user === null) return reply.code(401).send({ message: 'Wrong name or password' });
    return { token: app.jwt.sign(user, { expiresIn: '1h' }) };
  });
}) satisfies FastifyPluginAsync;
