// Fastify with what every server has and nothing else: no logger, no plugin, no schema but that of the answer.
import Fastify from 'fastify';
import { ANSWER, answerSchema } from './answer.mjs';

export async function start() {
  const app = Fastify();
  app.get('/bench', { schema: { response: { 200: answerSchema } } }, async () => ANSWER);
  app.get('/actuator/health', async () => ({ status: 'UP' }));
  return { app, headers: {} };
}
