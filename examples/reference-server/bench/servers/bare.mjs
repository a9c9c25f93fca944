// Bare Fastify: no logger, no plugins, and only a response schema.
import Fastify from 'fastify';
import { ANSWER, answerSchema } from './answer.mjs';

export async function start() {
  const app = Fastify();
  app.get('/bench', { schema: { response: { 200: answerSchema } } }, async () => ANSWER);
  app.get('/actuator/health', async () => ({ status: 'UP' }));
  return { app, headers: {} };
}
